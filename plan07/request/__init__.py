"""How a request reads: its lines and blocks, its sentences, and what they name.

`text` finds blocks (by `lines` and `phrases`), `parts` sections and scenarios; `sentences` splits
and cleans prose; `demands`, `predicates` and `constraints` say what a sentence asks for,
`candidates` derive where nothing is named; `gathering` puts it together for `canonicalize`.
"""
