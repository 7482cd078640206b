"""What the reply of a server says: a completion, or why there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
import wire
from asking import ANSWERS, CALL, answered, check, chosen, failed

from plan07.llm.client import Completion, connect


class TestCompletion:
    def test_all_of_it(self) -> None:
        ticks = iter([10.0, 12.5])
        with wire.server([wire.reply('{"obligations": []}')]) as server:
            found = connect(chosen(server.url), lambda: next(ticks))(CALL)
        assert found == Completion('{"obligations": []}', "scripted-1", "stop", 11, 7, 2.5)

    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            pytest.param(wire.completion(None), {"text": ""}, id="null content"),
            pytest.param(
                {"choices": [{"message": {}}]},
                {
                    "text": "",
                    "model": "small-1",
                    "finish_reason": "",
                    "prompt_tokens": None,
                    "completion_tokens": None,
                },
                id="next to nothing",
            ),
            pytest.param(
                wire.completion("{", choice={"finish_reason": "length"}),
                {"text": "{", "finish_reason": "length"},
                id="cut at the limit",
            ),
            pytest.param(
                wire.completion(None, message={"refusal": "I cannot"}),
                {"text": "", "finish_reason": "refusal"},
                id="refusal",
            ),
            pytest.param(
                wire.completion("{}", message={"refusal": None}),
                {"text": "{}", "finish_reason": "stop"},
                id="no refusal",
            ),
            pytest.param(
                wire.completion(None, message={"refusal": ""}),
                {"text": "", "finish_reason": "stop"},
                id="an empty refusal",
            ),
            pytest.param(
                wire.completion("{}", message={"refusal": "I cannot"}),
                {"text": "{}", "finish_reason": "stop"},
                id="a refusal beside an answer",
            ),
            pytest.param(
                wire.completion("{}", message={"reasoning_content": "hm", "reasoning": "hm"}),
                {"text": "{}"},
                id="reasoning beside the content",
            ),
            pytest.param(
                wire.completion(None, message={"tool_calls": [{"id": "1"}]}),
                {"text": ""},
                id="tools that nobody offered",
            ),
            pytest.param(
                wire.completion("{}", choices=[{"message": {"content": "a"}}, {"message": 7}]),
                {"text": "a", "finish_reason": ""},
                id="several choices",
            ),
            pytest.param(
                wire.completion("{}", system_fingerprint="f", timings={"ms": 1.5}),
                {"text": "{}"},
                id="fields beside",
            ),
            pytest.param(
                wire.completion("{}", usage=None),
                {"prompt_tokens": None, "completion_tokens": None},
                id="no usage",
            ),
            pytest.param(
                wire.completion("{}", usage=[1]),
                {"prompt_tokens": None, "completion_tokens": None},
                id="usage that is a list",
            ),
            pytest.param(
                wire.completion("{}", usage={"prompt_tokens": "9", "completion_tokens": 1.5}),
                {"prompt_tokens": None, "completion_tokens": None},
                id="usage in other types",
            ),
            pytest.param(
                wire.completion("{}", usage={"prompt_tokens": True, "completion_tokens": -1}),
                {"prompt_tokens": None, "completion_tokens": None},
                id="usage that cannot be",
            ),
            pytest.param(
                wire.completion("{}", usage={"prompt_tokens": 0, "completion_tokens": 10**30}),
                {"prompt_tokens": 0, "completion_tokens": None},
                id="usage at the ends",
            ),
            pytest.param(
                wire.completion("{}", model="m\x1b[31m" + "x" * 300),
                {"model": "m\\u001b[31m" + "x" * 189},
                id="a name that would act on a terminal",
            ),
            pytest.param(wire.completion("{}", model=7), {"model": "small-1"}, id="odd model"),
            pytest.param(
                wire.completion("{}", choice={"finish_reason": 7}),
                {"finish_reason": ""},
                id="odd reason",
            ),
        ],
    )
    def test_parts_of_it(self, document: dict[str, Any], expected: dict[str, Any]) -> None:
        found = answered(wire.document(document))._asdict()
        assert {name: found[name] for name in expected} == expected

    def test_a_type_with_a_charset(self) -> None:
        body = json.dumps(wire.completion("a")).encode()
        assert answered(wire.raw(body, content_type="Application/JSON; charset=utf-8")).text == "a"

    def test_no_type_at_all(self) -> None:
        assert answered(wire.raw(json.dumps(wire.completion("a")).encode())).text == "a"


class TestFaults:
    @pytest.mark.parametrize("name", ANSWERS)
    def test_each_is_told_after_one_request(self, name: str) -> None:
        check(ANSWERS[name], failed(ANSWERS[name].reply))

    def test_the_words_of_a_server_are_shortened_and_made_harmless(self) -> None:
        found = failed(wire.status(400, "\x1b[31mred\u202e " + "long " * 200))
        said = found.message.partition('said "')[2]
        assert said.startswith("\\u001b[31mred\\u202e long long")
        assert said.endswith('..."')
        assert len(said) == 300 + 4
