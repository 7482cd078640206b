"""Whom a change reaches: seeds, the neighbourhood in recon.db, the closure, and impact.json."""
