"""Tests, as pytest and unittest find them, and what they reach."""

from __future__ import annotations

from pathlib import Path

from evidencerepo import built

LIB = {
    "lib/__init__.py": "",
    "lib/core.py": """
        class Client:
            def get(self): ...
            def close(self): ...
        def direct(): ...
        def deep(): direct()
    """,
}


def test_what_is_a_test(tmp_path: Path) -> None:
    text = """
        import unittest
        def test_one(): ...
        def helper(): ...
        class TestA:
            def test_two(self): ...
            def other(self): ...
            class TestInner:
                def test_three(self): ...
        class TestWithState:
            def __init__(self): ...
            def test_not(self): ...
        class Old(unittest.TestCase):
            def test_four(self): ...
        class Base:
            def test_five(self): ...
        class TestDerived(Base):
            pass
    """
    found = built(tmp_path, {"tests/test_a.py": text, "tests/helpers.py": "def test_no(): ...\n"})
    assert found.rows(
        "SELECT t.nodeid, n.fqn, t.source, n.is_test FROM tests t JOIN nodes n ON n.id=t.node_id "
        "ORDER BY nodeid"
    ) == [
        ("tests/test_a.py::Old::test_four", "tests.test_a.Old.test_four", "ast", 1),
        (
            "tests/test_a.py::TestA::TestInner::test_three",
            "tests.test_a.TestA.TestInner.test_three",
            "ast",
            1,
        ),
        ("tests/test_a.py::TestA::test_two", "tests.test_a.TestA.test_two", "ast", 1),
        ("tests/test_a.py::TestDerived::test_five", "tests.test_a.Base.test_five", "ast", 1),
        ("tests/test_a.py::test_one", "tests.test_a.test_one", "ast", 1),
    ]


def test_what_holds_tests_is_marked(tmp_path: Path) -> None:
    text = "class TestA:\n    def test_a(self): ...\nclass Other: ...\n"
    found = built(tmp_path, {"tests/__init__.py": "", "tests/test_a.py": text, "a.py": "x = 1\n"})
    assert found.rows("SELECT fqn FROM nodes WHERE is_test=1 ORDER BY fqn") == [
        ("tests.test_a",),
        ("tests.test_a.TestA",),
        ("tests.test_a.TestA.test_a",),
    ]


def test_the_configuration_says_what_a_test_is(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": """
            [tool.pytest.ini_options]
            python_files = "check_*.py"
            python_functions = ["check"]
        """,
        "check_a.py": "def check_one(): ...\ndef test_one(): ...\n",
        "test_a.py": "def check_one(): ...\n",
    }
    found = built(tmp_path, files)
    assert found.rows("SELECT nodeid FROM tests") == [("check_a.py::check_one",)]


def test_a_test_reaches_through_fixtures(tmp_path: Path) -> None:
    files = {
        **LIB,
        "tests/conftest.py": """
            import pytest
            from lib.core import Client
            @pytest.fixture
            def client():
                found = Client()
                yield found
                found.close()
            @pytest.fixture(name="named")
            def _under_another_name(client): return client
        """,
        "tests/test_a.py": """
            from lib.core import deep
            def test_typed(client):
                client.get()
            def test_named(named):
                named.get()
            def test_direct():
                deep()
        """,
    }
    found = built(tmp_path, files)
    assert found.resolved("tests") == {
        ("tests.test_a.test_typed", "lib.core.Client", "exact"),
        ("tests.test_a.test_typed", "lib.core.Client.get", "typed"),
        ("tests.test_a.test_typed", "lib.core.Client.close", "typed"),
        ("tests.test_a.test_named", "lib.core.Client", "exact"),
        ("tests.test_a.test_named", "lib.core.Client.get", "typed"),
        ("tests.test_a.test_named", "lib.core.Client.close", "typed"),
        ("tests.test_a.test_direct", "lib.core.deep", "exact"),
    }
    assert found.attributes(
        "tests.test_a.test_named", "references", "tests.conftest._under_another_name"
    ) == {"fixture": True}


def test_the_nearest_fixture_is_meant(tmp_path: Path) -> None:
    near = "import pytest\nfrom lib.core import {0}\n@pytest.fixture\ndef it(): return {0}()\n"
    files = {
        **LIB,
        "tests/conftest.py": near.format("direct"),
        "tests/inner/conftest.py": near.format("Client"),
        "tests/inner/test_a.py": "def test_a(it): it.get()\n",
        "tests/test_b.py": "def test_b(it): ...\n",
    }
    found = built(tmp_path, files)
    assert found.edges("tests") == {
        ("tests.inner.test_a.test_a", "lib.core.Client"),
        ("tests.inner.test_a.test_a", "lib.core.Client.get"),
        ("tests.test_b.test_b", "lib.core.direct"),
    }


def test_a_fixture_that_overrides_one_of_its_name(tmp_path: Path) -> None:
    files = {
        **LIB,
        "tests/conftest.py": """
            import pytest
            from lib.core import Client
            @pytest.fixture
            def it() -> Client: return Client()
        """,
        "tests/test_a.py": """
            import pytest
            @pytest.fixture
            def it(it): return it
            def test_a(it): it.get()
        """,
    }
    assert ("tests.test_a.test_a", "lib.core.Client.get") in built(tmp_path, files).edges("tests")


def test_marks_and_classes_use_fixtures_too(tmp_path: Path) -> None:
    files = {
        **LIB,
        "test_a.py": """
            import pytest
            from lib.core import Client, direct
            @pytest.fixture
            def outer(): direct()
            class TestA:
                @pytest.fixture
                def inner(self): return Client()
                def test_a(self, inner): inner.get()
                @pytest.mark.usefixtures("outer")
                def test_b(self): ...
        """,
    }
    assert built(tmp_path, files).edges("tests") == {
        ("test_a.TestA.test_a", "lib.core.Client"),
        ("test_a.TestA.test_a", "lib.core.Client.get"),
        ("test_a.TestA.test_b", "lib.core.direct"),
    }


def test_setup_belongs_to_each_test_of_its_class(tmp_path: Path) -> None:
    files = {
        **LIB,
        "test_a.py": """
            from lib.core import Client
            class TestA:
                def setup_method(self): self.client = Client()
                def test_a(self): self.client.get()
        """,
    }
    assert built(tmp_path, files).edges("tests") == {
        ("test_a.TestA.test_a", "lib.core.Client"),
        ("test_a.TestA.test_a", "lib.core.Client.get"),
    }


def test_a_conftest_that_appears_is_seen(tmp_path: Path) -> None:
    from evidencerepo import build, write

    files = {**LIB, "tests/test_a.py": "def test_a(it): it.get()\n"}
    assert built(tmp_path, files).edges("tests") <= {("tests.test_a.test_a", "lib.core.Client.get")}
    write(
        tmp_path / "repo",
        {
            "tests/conftest.py": "import pytest\nfrom lib.core import Client\n@pytest.fixture\n"
            "def it() -> Client: return Client()\n"
        },
    )
    again = build(tmp_path / "repo")
    assert ("tests.test_a.test_a", "lib.core.Client.get", "typed") in again.resolved("tests")
