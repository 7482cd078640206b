"""Configurations: what is wanted, in which order, and every way to get one wrong (S-000-110)."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan07.ab import config
from plan07.errors import InputError

HEAD = 'execution = "simulated"\nmodel = "weak"\nhost = "box"\nseeds = 2\n'
TASK = '[[tasks]]\nid = "one"\n'


def loaded(tmp_path: Path, text: str) -> config.Config:
    file = tmp_path / "c.toml"
    file.write_text(text, "utf-8")
    return config.load(str(file))


def test_every_task_seed_and_arm_in_order(tmp_path: Path) -> None:
    text = HEAD + 'arms = ["static", "plan07"]\nablate = ["local_gate"]\n' + TASK
    found = loaded(tmp_path, text)
    assert [job.key for job in found.jobs] == [
        ("one", "static", 0, ""),
        ("one", "plan07", 0, ""),
        ("one", "plan07", 0, "local_gate"),
        ("one", "static", 1, ""),
        ("one", "plan07", 1, ""),
        ("one", "plan07", 1, "local_gate"),
    ]
    assert found.provider == "plan07.ab.simulated:make"


def test_four_arms_and_all_five_mechanisms(tmp_path: Path) -> None:
    found = loaded(tmp_path, HEAD.replace("2", "[7]") + "ablate = true\n" + TASK)
    assert [(job.key[1], job.key[3]) for job in found.jobs] == [
        ("monolithic", ""),
        ("static", ""),
        ("current", ""),
        ("plan07", ""),
        ("plan07", "revision_trigger"),
        ("plan07", "externalized_plan"),
        ("plan07", "typed_artifacts"),
        ("plan07", "dependency_ordering"),
        ("plan07", "local_gate"),
    ]


def test_a_sample_is_seeded_and_keeps_the_order(tmp_path: Path) -> None:
    """S-000-110: 20 of many, the same for the same seed."""
    tasks = "".join(f'[[tasks]]\nid = "t{number:03}"\n' for number in range(200))

    def drawn(seed: int) -> list[str]:
        found = loaded(tmp_path, f"{HEAD}[sample]\nsize = 20\nseed = {seed}\n{tasks}")
        return list(dict.fromkeys(job.task.id for job in found.jobs))

    assert len(drawn(1)) == 20
    assert drawn(1) == drawn(1) == sorted(drawn(1))
    assert drawn(1) != drawn(2)


def test_a_grid_is_crossed(tmp_path: Path) -> None:
    found = loaded(tmp_path, HEAD + "[grid]\nsize = [1, 2]\nfailure_rate = [0.1, 0.346]\n")
    tasks = list(dict.fromkeys(job.task.id for job in found.jobs))
    assert tasks == [
        "size=1 failure_rate=0.1",
        "size=1 failure_rate=0.346",
        "size=2 failure_rate=0.1",
        "size=2 failure_rate=0.346",
    ]


def test_tasks_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id":"a"}\n\n{"id":"ü","data":{"size":3}}\n', "utf-8")
    found = loaded(tmp_path, HEAD + 'tasks = "tasks.jsonl"\n')
    assert [job.task.id for job in found.jobs[::8]] == ["a", "ü"]


def test_options_and_prices_are_part_of_what_is_compared(tmp_path: Path) -> None:
    texts = [HEAD, HEAD + "[prices]\ntokens_in = 0.1\n", HEAD + "[options]\nattempts = 2\n"]
    digests = [loaded(tmp_path, f"{each}{TASK}").context.config for each in texts]
    assert len(set(digests)) == 3
    more = HEAD.replace("seeds = 2", "seeds = 9")
    assert loaded(tmp_path, more + TASK).context.config == digests[0]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        pytest.param("", "AB_CONFIG_INVALID", "execution", id="empty"),
        pytest.param("a = ]", "AB_CONFIG_INVALID", "line 1", id="no-toml"),
        pytest.param("\xff", "AB_CONFIG_INVALID", "utf-8", id="no-utf-8"),
        pytest.param(HEAD, "AB_CONFIG_INVALID", "either tasks or grid", id="no-task"),
        pytest.param(HEAD + "tasks = []", "AB_CONFIG_INVALID", "no task", id="empty-list"),
        pytest.param(HEAD + TASK + TASK, "AB_CONFIG_INVALID", "'one' stands twice", id="twice"),
        pytest.param(HEAD + "lucky = 1\n" + TASK, "AB_CONFIG_INVALID", "lucky", id="unknown"),
        pytest.param(
            HEAD + 'arms = ["best"]\n' + TASK, "AB_CONFIG_INVALID", "arms.0", id="unknown-arm"
        ),
        pytest.param(
            HEAD.replace("2", "[1, 1]") + TASK, "AB_CONFIG_INVALID", "twice", id="seed-twice"
        ),
        pytest.param(HEAD.replace("2", "0") + TASK, "AB_CONFIG_INVALID", "seeds", id="no-seed"),
        pytest.param(
            HEAD.replace("simulated", "replay") + TASK,
            "AB_CONFIG_INVALID",
            "a replay has no provider of its own",
            id="replay-without-provider",
        ),
        pytest.param(
            HEAD + "[sample]\nsize = 2\n" + TASK, "AB_CONFIG_INVALID", "of 1 tasks", id="too-few"
        ),
        pytest.param(HEAD + 'tasks = "gone.jsonl"', "FILE_UNREADABLE", "gone.jsonl", id="no-file"),
        pytest.param(
            HEAD.replace("2", "10000") + f"[grid]\nsize = {list(range(9))}\n",
            "AB_CONFIG_INVALID",
            "360000 runs are wanted, the most are 100000",
            id="too-many",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, code: str, said: str) -> None:
    file = tmp_path / "c.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        config.load(str(file))
    assert caught.value.code == code
    assert said in caught.value.message
    assert caught.value.fix


def test_a_task_of_a_file_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id":"a"}\n{"id":""}\n', "utf-8")
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, HEAD + 'tasks = "t.jsonl"\n')
    assert caught.value.code == "AB_TASKS_INVALID"
    assert "t.jsonl:2: id" in caught.value.message


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ("no.such.module:make", "No module named 'no'"),
        ("plan07.ab.records:nothing", "nothing"),
        ("plan07.ab.records:Context.model_copy", "which has no method run"),
    ],
)
def test_a_provider_that_cannot_be_had(tmp_path: Path, provider: str, said: str) -> None:
    found = loaded(tmp_path, f'provider = "{provider}"\n{HEAD}{TASK}')
    with pytest.raises(InputError) as caught:
        config.execution_of(found.provider, found.context)
    assert caught.value.code == "AB_PROVIDER_INVALID"
    assert said in caught.value.message
