"""`python -m plan07`."""

from plan07.cli import main

if __name__ == "__main__":
    main()
