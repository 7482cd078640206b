"""Reads Python sources with the standard library's parser.

Two passes, so that no tree is held longer than its file takes: the first writes a table of each
module (`index`), the second reads each file again and resolves what it uses (`walk`), asking tables
alone about other files (`names` to `values`). Both run in forked workers (`workers`). What needs
the whole repository comes last (`link`).
"""
