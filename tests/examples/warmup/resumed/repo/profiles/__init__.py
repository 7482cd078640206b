"""Profiles of users, one JSON file each."""
