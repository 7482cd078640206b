def greeting(profile):
    return f"Hello {profile['username']}"
