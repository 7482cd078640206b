"""Sessions of logged-in users."""
