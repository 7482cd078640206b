#!/bin/sh
# A coding agent in one line: it edits what EDITS/NODE holds, and nothing if there is nothing to edit.
cp -R "$1/$PLAN07_NODE/." . 2>/dev/null || true
