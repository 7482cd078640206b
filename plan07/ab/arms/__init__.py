"""The four arms of a live comparison, each the prompt that one would really write.

All have the same instructions, edit format, budget and words for what failed; see `prompts`,
`edits` and `talk`. An arm is a function of a `Running`, which holds the working copy and the talk
with the model. It ends when the visible tests pass, when it has nothing new to ask, or with the
budget.
"""
