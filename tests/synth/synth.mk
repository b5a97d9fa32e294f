# SPDX-License-Identifier: GPL-3.0-or-later
#
# make accuracy            causes planted in simulated traces against what explain says: a confusion matrix
# make accuracy REDUCED=1  a twentieth of it

SYNTH_OBJS := $(patsubst tests/synth/%.c,$(OBJ)/tests/synth/%.o,$(wildcard tests/synth/*.c))
SYNTH_BIN  := $(OBJ)/tests/synth/synth

.PHONY: accuracy
check-programs: $(SYNTH_BIN)

$(SYNTH_BIN): $(SYNTH_OBJS) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

-include $(SYNTH_OBJS:.o=.d)

accuracy: all $(SYNTH_BIN)
	tests/synth/accuracy.py --synth $(SYNTH_BIN) --whylate build/whylate $(if $(REDUCED),--reduced)
