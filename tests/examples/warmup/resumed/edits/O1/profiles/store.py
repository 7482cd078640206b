import json


def load(path):
    profile = json.loads(path.read_text())
    if "user_name" in profile:
        profile["username"] = profile["user_name"]
    return profile
