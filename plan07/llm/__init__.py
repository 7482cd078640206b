"""The one model call on the wire: who is asked, what is sent, and what may go wrong with it."""
