"""The one edit format of all arms: what a reply may say, and that it stays in the working copy."""

from __future__ import annotations

import pytest

from plan07.ab.arms import edits

FILES = {
    "config.py": "LIMIT = 3\n\n\nclass Config:\n    size = 1\n\n    def __init__(self):\n"
    "        self.a = 1\n\n    def total(self):\n        return self.a\n",
    "shop.py": '"""A shop."""\nimport os\n\n\n@cached\ndef price(x):\n    return x\n\n\n'
    "def label(x):\n    return str(x)\n",
    "tests/test_shop.py": "def test_price():\n    assert True\n",
}


def block(text: str) -> str:
    return f"Here it is:\n```python\n{text}\n```\nDone."


class TestWhatTakesThePlaceOfWhat:
    def test_a_function_with_its_decorators(self) -> None:
        changed = edits.apply(block("# file: shop.py\ndef price(x, y=1):\n    return x + y"), FILES)
        assert changed == {
            "shop.py": '"""A shop."""\nimport os\n\n\ndef price(x, y=1):\n    return x + y\n\n\n'
            "def label(x):\n    return str(x)\n"
        }

    def test_a_method_in_its_class_and_the_others_stay(self) -> None:
        said = "# file: config.py\nclass Config:\n    def total(self):\n        return 2 * self.a"
        changed = edits.apply(block(said), FILES)["config.py"]
        assert changed == FILES["config.py"].replace("return self.a", "return 2 * self.a")

    def test_a_method_without_its_class(self) -> None:
        changed = edits.apply(block("def total(self):\n    return 7"), FILES)["config.py"]
        assert changed == FILES["config.py"].replace("return self.a", "return 7")

    def test_a_new_method_goes_to_the_end_of_its_class(self) -> None:
        said = "# file: config.py\nclass Config:\n    def more(self):\n        return 1"
        changed = edits.apply(block(said), FILES)["config.py"]
        assert changed == FILES["config.py"] + "\n    def more(self):\n        return 1\n"

    def test_a_class_with_all_its_methods_is_taken_whole(self) -> None:
        said = (
            "# file: config.py\nclass Config(Base):\n    def __init__(self):\n        pass\n\n"
            "    def total(self):\n        return 0"
        )
        changed = edits.apply(block(said), FILES)["config.py"]
        assert "class Config(Base):" in changed
        assert "size = 1" not in changed

    def test_a_constant(self) -> None:
        changed = edits.apply(block("# file: config.py\nLIMIT = 4"), FILES)["config.py"]
        assert changed == FILES["config.py"].replace("LIMIT = 3", "LIMIT = 4")

    def test_what_is_new_is_added_imports_behind_the_imports(self) -> None:
        said = "# file: shop.py\nimport os\nimport sys\nRATE = 2\n\ndef tax(x):\n    return x"
        changed = edits.apply(block(said), FILES)["shop.py"]
        assert changed.startswith('"""A shop."""\nimport os\nimport sys\nRATE = 2\n\n\n@cached')
        assert changed.endswith("return str(x)\n\n\ndef tax(x):\n    return x\n")

    def test_a_rename_is_a_deletion_and_an_addition(self) -> None:
        said = "# file: shop.py\n# delete: label\ndef text(x):\n    return str(x)"
        changed = edits.apply(block(said), FILES)["shop.py"]
        assert "label" not in changed
        assert changed.endswith("def text(x):\n    return str(x)\n")

    def test_a_method_is_deleted_by_its_class(self) -> None:
        changed = edits.apply(block("# file: config.py\n# delete: Config.total"), FILES)
        assert "total" not in changed["config.py"]
        assert "__init__" in changed["config.py"]

    def test_a_file_that_is_not_there_is_made(self) -> None:
        changed = edits.apply(block("# file: new/errors.py\nclass Missing(Exception): ..."), FILES)
        assert changed == {"new/errors.py": "class Missing(Exception): ...\n"}

    def test_several_files_in_one_block_and_in_several(self) -> None:
        one = "# file: config.py\nLIMIT = 4\n\n# file: shop.py\ndef label(x):\n    return x"
        two = one.replace("\n\n#", "\n```\nand\n```python\n#")
        assert edits.apply(block(one), FILES) == edits.apply(block(two), FILES)
        assert sorted(edits.apply(block(one), FILES)) == ["config.py", "shop.py"]

    def test_the_file_is_that_of_the_one_definition(self) -> None:
        assert list(edits.apply(block("def label(x):\n    return x"), FILES)) == ["shop.py"]

    def test_a_reply_without_a_fence_that_is_code(self) -> None:
        assert list(edits.apply("# file: config.py\nLIMIT = 5\n", FILES)) == ["config.py"]

    def test_a_reply_that_was_cut_off_in_its_block(self) -> None:
        assert list(edits.apply("```python\n# file: config.py\nLIMIT = 5\n", FILES)) == [
            "config.py"
        ]

    def test_what_is_as_before_is_no_change(self) -> None:
        assert edits.apply(block("# file: config.py\nLIMIT = 3"), FILES) == {}


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("said", "why"),
        [
            ("# file: shop.py\ndef price(:", "your code is not Python: line 1: invalid syntax"),
            ("# file: ../shop.py\nx = 1", "../shop.py is not a file of the repository"),
            ("# file: /etc/x.py\nx = 1", "/etc/x.py is not a file of the repository"),
            ("# file: .git/x.py\nx = 1", ".git/x.py is not a file of the repository"),
            ("# file: a/../../x.py\nx = 1", "a/../../x.py is not a file of the repository"),
            ("def nobody():\n    pass", "begin each block with a line `# file: PATH`"),
        ],
    )
    def test_with_what_is_wrong(self, said: str, why: str) -> None:
        with pytest.raises(edits.Refused) as refused:
            edits.apply(block(said), FILES)
        assert str(refused.value).startswith(why)

    def test_nothing_is_applied_if_one_part_cannot_be_read(self) -> None:
        said = block("# file: config.py\nLIMIT = 4\n# file: shop.py\ndef (")
        with pytest.raises(edits.Refused):
            edits.apply(said, FILES)

    def test_a_definition_that_two_files_have_needs_a_path(self) -> None:
        files = {**FILES, "other.py": "def label(x):\n    return x\n"}
        with pytest.raises(edits.Refused, match="begin each block"):
            edits.apply(block("def label(x):\n    return 1"), files)

    @pytest.mark.parametrize(
        "path", ["tests/test_shop.py", "test_new.py", "shop_test.py", "conftest.py", "tests/a.py"]
    )
    def test_tests_are_left_alone(self, path: str) -> None:
        assert edits.apply(block(f"# file: {path}\ndef test_price():\n    pass"), FILES) == {}

    def test_prose_holds_no_part(self) -> None:
        assert edits.parts("I cannot do that.") == []
        assert edits.parts("```python\n```") == []
