"""Edges of the shapes that were sampled from real projects and checked by hand.

bench/checked_edges.tsv lists the edges themselves, and `python -m bench evidence` looks for them in
the sources at their fixed versions. Here stand small projects of our own with the same shapes: a
toolkit for commands, a web framework and a library of graphs. Each edge below was read in its
source.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from evidencerepo import Built, build, write

TOOLKIT = {
    "src/kit/__init__.py": """
        from .core import Command as Command
        from .core import Group as Group
        from .core import Option as Option
        from .decorators import command as command
        from .decorators import option as option
        from .errors import BadUsage as BadUsage
        from .out import echo as echo
        from .out import progress as progress
    """,
    "src/kit/errors.py": """
        class UsageError(Exception):
            def show(self) -> None: ...
        class BadUsage(UsageError):
            def show(self) -> None:
                super().show()
    """,
    "src/kit/format.py": """
        class Formatter:
            def __init__(self, width: int | None = None) -> None: ...
            def write(self, text: str) -> None: ...
    """,
    "src/kit/out.py": """
        import typing as t
        V = t.TypeVar("V")
        _getchar: t.Callable[[bool], str] | None = None
        def echo(message: object = None) -> None: ...
        def getchar(echo: bool = False) -> str:
            global _getchar
            if _getchar is None:
                from .terminal import getchar as f
                _getchar = f
            return _getchar(echo)
        class Bar(t.Generic[V]):
            def __init__(self, over: t.Iterable[V]) -> None:
                self.over = over
            def __enter__(self) -> "Bar[V]": ...
            def __exit__(self, *args: object) -> None: ...
            def __iter__(self) -> t.Iterator[V]: ...
        def progress(over: t.Iterable[V]) -> Bar[V]:
            return Bar(over)
    """,
    "src/kit/terminal.py": "def getchar(echo: bool) -> str: ...\n",
    "src/kit/core.py": """
        from __future__ import annotations
        import typing as t
        from .format import Formatter
        if t.TYPE_CHECKING:
            from .decorators import FC
        class Context:
            formatter_class: type[Formatter] = Formatter
            def __init__(self, command: Command) -> None:
                self.command = command
            def make_formatter(self) -> Formatter:
                return self.formatter_class(width=80)
            @t.overload
            def invoke(self, callback: Command, /) -> t.Any: ...
            @t.overload
            def invoke(self, callback: t.Callable[..., t.Any], /) -> t.Any: ...
            def invoke(self, callback, /): ...
            def forward(self, command: Command, /) -> t.Any:
                return self.invoke(command)
        class Parameter:
            def __init__(self, decls: list[str]) -> None: ...
            def record(self, ctx: Context) -> tuple[str, str]: ...
        class Option(Parameter):
            def __init__(self, decls: list[str], required: bool = False) -> None:
                super().__init__(decls)
        class Command:
            def __init__(self, name: str | None, params: list[Parameter] | None = None) -> None:
                self.params: list[Parameter] = params or []
            def get_params(self, ctx: Context) -> list[Parameter]:
                return self.params
            def format(self, ctx: Context, formatter: Formatter) -> None:
                for param in self.get_params(ctx):
                    rv = param.record(ctx)
                    if rv is not None:
                        formatter.write(rv[0])
        class Group(Command):
            @t.overload
            def command(self, __func: t.Callable[..., t.Any]) -> Command: ...
            @t.overload
            def command(
                self, *args: t.Any, **kwargs: t.Any
            ) -> t.Callable[[t.Callable[..., t.Any]], Command]: ...
            def command(self, *args, **kwargs): ...
            def get_command(self, ctx: Context, name: str) -> Command | None: ...
    """,
    "src/kit/decorators.py": """
        from __future__ import annotations
        import typing as t
        from .core import Command, Group, Option
        FC = t.TypeVar("FC", bound="t.Callable[..., t.Any] | Command")
        _AnyCallable = t.Callable[..., t.Any]
        CmdType = t.TypeVar("CmdType", bound=Command)
        @t.overload
        def command(name: _AnyCallable) -> Command: ...
        @t.overload
        def command(
            name: str | None, cls: type[CmdType]
        ) -> t.Callable[[_AnyCallable], CmdType]: ...
        @t.overload
        def command(*, cls: type[CmdType]) -> t.Callable[[_AnyCallable], CmdType]: ...
        @t.overload
        def command(
            name: str | None = ..., cls: None = None
        ) -> t.Callable[[_AnyCallable], Command]: ...
        def command(name=None, cls=None): ...
        def option(*decls: str) -> t.Callable[[FC], FC]:
            def decorator(f: FC) -> FC:
                Option(list(decls))
                return f
            return decorator
    """,
    "src/kit/testing.py": """
        from __future__ import annotations
        from .core import Command
        class Result:
            def __init__(self, data: bytes) -> None:
                self.data = data
            @property
            def output(self) -> str:
                return self.data.decode()
        class Runner:
            def invoke(self, cli: Command, args: list[str]) -> Result:
                return Result(b"")
    """,
    "tests/conftest.py": """
        import pytest
        from kit.testing import Runner
        @pytest.fixture(scope="function")
        def runner(request):
            return Runner()
    """,
    "tests/test_kit.py": """
        import kit
        from kit.core import Group
        def test_echo(runner):
            @kit.command()
            @kit.option("--name")
            def cli(name):
                kit.echo(name)
            result = runner.invoke(cli, ["--name"])
            assert result.output == ""
        def test_group(runner):
            @kit.command(cls=Group)
            def cli(): ...
            @cli.command()
            def sub(): ...
            sub.get_params(None)
        def test_options():
            kit.Command("cli", params=[kit.Option(["--a"]), kit.Option(["--b"])])
        def test_progress():
            with kit.progress([1]) as bar:
                for _ in bar:
                    pass
    """,
}
FRAMEWORK = {
    "web/__init__.py": "from .app import App as App\nfrom .proxy import current as current\n",
    "web/scaffold.py": """
        import typing as t
        from functools import update_wrapper
        F = t.TypeVar("F", bound=t.Callable[..., t.Any])
        def setupmethod(f: F) -> F:
            def wrapper(self, *args):
                return f(self, *args)
            return t.cast(F, update_wrapper(wrapper, f))
        class Scaffold:
            def __init__(self, name: str) -> None:
                self.teardowns: list[t.Callable] = []
            @setupmethod
            def route(self, rule: str) -> t.Callable[[F], F]: ...
            def teardown(self, f):
                self.teardowns.append(f)
                return f
    """,
    "web/config.py": "class Config(dict):\n    def __init__(self, root: str) -> None: ...\n",
    "web/app.py": """
        from __future__ import annotations
        from .config import Config
        from .scaffold import Scaffold, setupmethod
        from .tags import Session
        class App(Scaffold):
            config_class = Config
            def __init__(self, name: str) -> None:
                super().__init__(name)
                self.config = self.make_config()
            def make_config(self) -> Config:
                return self.config_class("root")
            @setupmethod
            def register(self, part: Scaffold) -> None: ...
            def client(self) -> Client:
                return Client(self)
            def save(self, session: Session) -> None: ...
        class Client:
            def __init__(self, app: App) -> None:
                self.app = app
            def get(self, path: str) -> bytes: ...
    """,
    "web/tags.py": """
        class Tag:
            def to_json(self, value): ...
            def tag(self, value):
                return {"x": self.to_json(value)}
        class PassList(Tag):
            def to_json(self, value):
                return list(value)
            tag = to_json
        class Session: ...
    """,
    "web/proxy.py": """
        import typing as t
        from .app import App
        current: App = t.cast(App, None)
    """,
    "web/version.py": """
        _version = ""
        def version() -> str:
            global _version
            if not _version:
                _version = "1"
            return _version
    """,
    "webtests/conftest.py": """
        import pytest
        from web import App
        @pytest.fixture
        def app():
            app = App("test")
            return app
        @pytest.fixture
        def client(app):
            return app.client()
    """,
    "webtests/test_web.py": """
        import web
        from web import current
        def test_route(app, client):
            @app.route("/")
            def index():
                return current.make_config()
            client.get("/")
        def test_subclass():
            class App(web.App):
                config_class = dict
            App("x")
        def test_lambda():
            make = lambda: web.App("y")
    """,
}
GRAPHS = {
    "graphs/__init__.py": """
        from graphs.dispatch import _dispatchable
        from graphs.classes import *
        from graphs import algorithms
        from graphs.algorithms import *
    """,
    "graphs/classes.py": """
        from functools import cached_property
        class View:
            def __call__(self, data=False): ...
            def __iter__(self): ...
        class Graph:
            node_factory = dict
            @cached_property
            def nodes(self):
                return View()
            def is_directed(self):
                return False
            def copy(self):
                return self.__class__()
        class DiGraph(Graph):
            def is_directed(self):
                return True
            def reverse(self): ...
    """,
    "graphs/dispatch.py": """
        import os
        class _dispatchable:
            def __new__(cls, func=None, **kwargs):
                self = object.__new__(cls)
                return self
            def __call__(self, /, *args, **kwargs):
                return self.original(*args, **kwargs)
        if os.environ.get("DOCS"):
            _with_dispatch = _dispatchable
            def _dispatchable(func=None, **kwargs):
                return func
    """,
    "graphs/decorators.py": """
        class argmap:
            def __init__(self, func, *args): ...
            def __call__(self, f):
                def wrapper(*args): return f(*args)
                return wrapper
        def not_implemented_for(*kinds):
            def _not(g): ...
            return argmap(_not, 0)
    """,
    "graphs/algorithms/__init__.py": "from graphs.algorithms.paths import *\n",
    "graphs/algorithms/paths.py": """
        import graphs as gs
        from graphs.decorators import not_implemented_for
        __all__ = ["path", "shortest", "read"]
        @gs._dispatchable(graphs=None)
        def path(n, create_using=None):
            G = gs.Graph()
            return G
        @not_implemented_for("undirected")
        @gs._dispatchable
        def shortest(G, weight="weight"):
            H = path(3)
            if H.is_directed():
                return None
            return H.nodes()
        @gs._dispatchable(graphs=None)
        def read(lines, directed=False):
            if directed:
                G = gs.DiGraph()
            else:
                G = gs.Graph()
            return G
        def hidden(): ...
    """,
    "graphs/tests/test_paths.py": """
        import graphs as gs
        class BaseTest:
            def check(self, g): ...
        class TestPaths(BaseTest):
            def test_path(self):
                G = gs.path(3)
                assert gs.shortest(G)
                self.check(gs.read([]).copy())
                for kind in (gs.Graph, gs.DiGraph):
                    class Mine(kind):
                        node_factory = list
    """,
}
CHECKED = """
kit reexports kit.errors.BadUsage exact
kit reexports kit.core.Option exact
kit.errors.BadUsage inherits kit.errors.UsageError exact
kit.errors.BadUsage.show overrides kit.errors.UsageError.show exact
kit.errors.BadUsage.show calls kit.errors.UsageError.show typed
kit.core.Context.make_formatter references kit.core.Context.formatter_class typed
kit.core.Context.make_formatter instantiates kit.format.Formatter typed
kit.core.Context.make_formatter calls kit.format.Formatter.__init__ typed
kit.core.Context.forward calls kit.core.Context.invoke typed
kit.core.Option.__init__ calls kit.core.Parameter.__init__ typed
kit.core.Command.format calls kit.core.Command.get_params typed
kit.core.Command.format calls kit.core.Parameter.record typed
kit.core.Command.format calls kit.format.Formatter.write typed
kit.core.Group.get_command uses_type kit.core.Context exact
kit.core.Group.get_command uses_type kit.core.Command exact
kit.out.getchar writes kit.out._getchar exact
kit.out.Bar.__init__ writes kit.out.Bar.over typed
kit.out.progress instantiates kit.out.Bar exact
kit.decorators.option.decorator instantiates kit.core.Option exact
tests.test_kit.test_echo.cli decorates kit.decorators.command exact
tests.test_kit.test_echo.cli calls kit.decorators.option exact
tests.test_kit.test_echo.cli calls kit.out.echo exact
tests.test_kit.test_echo calls kit.testing.Runner.invoke typed
tests.test_kit.test_echo references kit.testing.Result.output typed
tests.test_kit.test_echo tests kit.testing.Result.output typed
tests.test_kit.test_echo tests kit.testing.Runner exact
tests.test_kit.test_group.sub decorates kit.core.Group.command typed
tests.test_kit.test_group calls kit.core.Command.get_params typed
tests.test_kit.test_options instantiates kit.core.Command exact
tests.test_kit.test_options tests kit.core.Option.__init__ exact
tests.test_kit.test_progress calls kit.out.Bar.__iter__ typed
tests.test_kit.test_progress calls kit.out.Bar.__enter__ typed
web reexports web.proxy.current exact
web.app.App.register decorates web.scaffold.setupmethod exact
web.app.App.make_config instantiates web.config.Config typed
web.app.App.save uses_type web.tags.Session exact
web.scaffold.Scaffold.teardown references web.scaffold.Scaffold.teardowns typed
web.tags.PassList.tag overrides web.tags.Tag.tag exact
web.tags.Tag.tag calls web.tags.Tag.to_json typed
web.version.version writes web.version._version exact
webtests.test_web.test_route.index calls web.scaffold.Scaffold.route typed
webtests.test_web.test_route.index decorates web.scaffold.Scaffold.route typed
webtests.test_web.test_route.index references web.proxy.current exact
webtests.test_web.test_route.index calls web.app.App.make_config typed
webtests.test_web.test_route calls web.app.Client.get typed
webtests.test_web.test_route tests web.app.App.client typed
webtests.test_web.test_subclass.App inherits web.app.App exact
webtests.test_web.test_lambda calls web.app.App.__init__ exact
graphs reexports graphs.algorithms.paths.path exact
graphs.algorithms.paths.path instantiates graphs.classes.Graph exact
graphs.algorithms.paths.path decorates graphs.dispatch._dispatchable typed
graphs.algorithms.paths.shortest decorates graphs.decorators.not_implemented_for exact
graphs.algorithms.paths.shortest calls graphs.algorithms.paths.path exact
graphs.algorithms.paths.shortest calls graphs.classes.Graph.is_directed typed
graphs.algorithms.paths.shortest references graphs.classes.Graph.nodes typed
graphs.algorithms.paths.shortest calls graphs.classes.View.__call__ typed
graphs.classes.DiGraph.is_directed overrides graphs.classes.Graph.is_directed exact
graphs.tests.test_paths.TestPaths inherits graphs.tests.test_paths.BaseTest exact
graphs.tests.test_paths.TestPaths.test_path calls graphs.algorithms.paths.path exact
graphs.tests.test_paths.TestPaths.test_path tests graphs.algorithms.paths.shortest exact
graphs.tests.test_paths.TestPaths.test_path calls graphs.classes.Graph.copy typed
graphs.tests.test_paths.TestPaths.test_path.Mine inherits graphs.classes.Graph typed
graphs.tests.test_paths.TestPaths.test_path.Mine inherits graphs.classes.DiGraph typed
"""
# What a careless resolver finds in them, and is not so.
WRONG = """
kit.core.Context.forward calls kit.core.Context.forward
kit.errors.BadUsage.show calls kit.errors.BadUsage.show
tests.test_kit.test_group calls kit.core.Group.get_command
web.tags.PassList.to_json overrides web.tags.Tag.tag
webtests.test_web.test_subclass instantiates web.app.App
graphs reexports graphs.algorithms.paths.hidden
graphs.algorithms.paths.shortest calls graphs.classes.DiGraph.is_directed
graphs.algorithms.paths.path calls graphs.decorators.argmap.__call__
"""


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return the evidence of the three projects."""
    root: Path = tmp_path_factory.mktemp("shapes") / "repo"
    write(root, {**TOOLKIT, **FRAMEWORK, **GRAPHS})
    return build(root)


@pytest.mark.parametrize("edge", CHECKED.strip().splitlines())
def test_an_edge_that_is_there(edge: str, shapes: Built) -> None:
    src, kind, dst, resolution = edge.split()
    assert (src, dst, resolution) in shapes.resolved(kind)


@pytest.mark.parametrize("edge", WRONG.strip().splitlines())
def test_an_edge_that_is_not(edge: str, shapes: Built) -> None:
    src, kind, dst = edge.split()
    assert (src, dst) not in shapes.edges(kind)


def test_most_calls_are_resolved(shapes: Built) -> None:
    counts = shapes.report.counts
    assert counts["calls unresolved"] <= 8
    assert counts["calls exact"] + counts["calls typed"] >= 40
