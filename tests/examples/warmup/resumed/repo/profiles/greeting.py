def greeting(profile):
    return f"Hello {profile['user_name']}"
