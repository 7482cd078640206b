import pytest
from profiles.store import load


@pytest.mark.parametrize("key", ["user_name", "username"])
def test_old_and_new_profiles_are_read(tmp_path, key):
    path = tmp_path / "ada.json"
    path.write_text(f'{{"{key}": "Ada"}}')
    assert load(path)["username"] == "Ada"
