"""The three arms without plan07, simulated.

All get the same request and the same luck, and edit each obligation at most `attempts` times.

- monolithic: one prompt with everything; if the tests fail at the end, everything again, with what
  they said.
- static: the model writes a decomposition, which then stands in each prompt of a fixed chain, one
  call a step; if the tests fail at the end, the chain runs again from the top, its decomposition
  included (build spec 7.1: "forces re-execution from the top").
- current: edits everything at once, and then only what still fails; nothing is planned.
"""

from __future__ import annotations

from plan07.ab.simulated import texts
from plan07.ab.simulated.recorder import Recorder
from plan07.ab.simulated.world import World


def monolithic(world: World, written: Recorder) -> bool:
    """Return whether the request is fulfilled in the end."""
    request, said = texts.request(world), ""
    wanted = list(world.foreseen)
    for attempt in range(1, world.assumed.attempts + 1):
        prompt = "\n".join([texts.MONOLITHIC, request, said, texts.sources(wanted)])
        world.edit(wanted)
        reply = texts.edits(world, wanted)
        written.call("edit", prompt, reply, retry=attempt > 1)
        written.step(f"attempt-{attempt}", wanted)
        found = world.open()
        if not found:
            return True
        said = texts.failures(world, found)
        wanted += [each for each in found if each not in wanted]
    return False


def static(world: World, written: Recorder) -> bool:
    """Return whether the request is fulfilled in the end."""
    request, said = texts.request(world), ""
    chain = world.emitted()
    for attempt in range(1, world.assumed.attempts + 1):
        plan = texts.steps(world, chain)
        asked = "\n".join([texts.LISTING, request, said])
        written.call("decompose", asked, plan, retry=attempt > 1)
        for number, entity in enumerate(chain, 1):
            parts = [texts.CHAIN, request, said, "The steps:", plan, "", f"Do step {number}."]
            prompt = "\n".join([*parts, texts.source(entity)])
            world.edit([entity])
            written.call("edit", prompt, texts.edit(world, entity), retry=attempt > 1)
            written.step(f"step-{number}", [entity], attempts=attempt)
        found = world.open()
        if not found:
            return True
        said = texts.failures(world, found)
        chain += [each for each in found if each not in chain]
    return False


def current(world: World, written: Recorder) -> bool:
    """Return whether the request is fulfilled in the end."""
    request, said = texts.request(world), ""
    wanted = list(world.foreseen)
    for attempt in range(1, world.assumed.attempts + 1):
        prompt = "\n".join([texts.CURRENT, request, said, texts.sources(wanted)])
        world.edit(wanted)
        written.call("edit", prompt, texts.edits(world, wanted), retry=attempt > 1)
        written.step(f"attempt-{attempt}", wanted)
        wanted = world.open()
        if not wanted:
            return True
        said = texts.failures(world, wanted)
    return False
