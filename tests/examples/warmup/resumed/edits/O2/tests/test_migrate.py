from profiles.migrate import migrate


def test_old_profiles_are_rewritten_once(tmp_path):
    (tmp_path / "ada.json").write_text('{"user_name": "Ada"}')
    (tmp_path / "bob.json").write_text('{"username": "Bob"}')
    assert [migrate(tmp_path), migrate(tmp_path)] == [1, 0]
    assert (tmp_path / "ada.json").read_text() == '{"username": "Ada"}'
