import json

from profiles.store import load


def migrate(folder):
    """Rewrite the profiles of a folder; return how many were old."""
    old = 0
    for path in sorted(folder.glob("*.json")):
        profile = load(path)
        if profile.pop("user_name", None) is not None:
            path.write_text(json.dumps(profile))
            old += 1
    return old
