"""The open formats of evidence: their shapes, their JSON Lines twin, and what is wrong with a file.

Nothing here knows how evidence is found; readers and commands do.
"""
