"""`python -m earnest`: the same as the command `earnest`."""

import sys

from earnest.commands import main

if __name__ == "__main__":
    sys.exit(main())
