# SPDX-License-Identifier: GPL-3.0-or-later
# A twentieth of make accuracy, with seeds that stay: what is planted is found.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
tests/synth/accuracy.py --synth "$OBJ/tests/synth/synth" --whylate "$whylate" --reduced --seed 1000
