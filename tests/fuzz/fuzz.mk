# SPDX-License-Identifier: GPL-3.0-or-later
#
# tests/fuzz/NAME.c          a target: int LLVMFuzzerTestOneInput(const uint8_t *, size_t)
# tests/fuzz/corpus/NAME/*   inputs kept: seeds, and what once crashed
#
# make check                 runs each target's kept inputs, whole and cut (gcc, no libFuzzer)
# make fuzz                  builds build/fuzz/NAME with clang, libFuzzer and sanitizers
# make fuzz-run SECONDS=N    runs each target for N seconds (default 30); crashes stay in build/fuzz/crash-*
#   FUZZ=NAME                only this target
# make fuzz-formats SECONDS=N  each importer by itself for N seconds, as by --input-format
# make fuzz-numbers          every kind of number of the test texts becomes each end of the integer types (half an hour)

FUZZ_SRC    := $(sort $(wildcard tests/fuzz/*.c))
FUZZ_REPLAY := $(FUZZ_SRC:%.c=$(OBJ)/%)
FUZZ_CC     ?= clang
FUZZ_OBJ    := build/fuzz
FUZZ_SAN    := address,undefined
FUZZ_FLAGS  := $(filter-out -Werror,$(WARN)) -std=c17 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all
FUZZ_OBJS    = $(patsubst %.c,$(FUZZ_OBJ)/obj/%.o,$(filter-out cli/main.c,$(SRC)))
FUZZ_BIN    := $(patsubst tests/fuzz/%.c,$(FUZZ_OBJ)/%,$(FUZZ_SRC))
SECONDS     ?= 30

.PHONY: fuzz fuzz-run fuzz-formats fuzz-numbers
check-programs: $(FUZZ_REPLAY)

$(FUZZ_REPLAY): $(OBJ)/%: %.c tests/fuzz/driver/replay.c $(LIB) Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< tests/fuzz/driver/replay.c $(LIB) $(PKG_LIBS)

fuzz: $(FUZZ_BIN)

$(FUZZ_OBJ)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS) $(PKG_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -MMD -MP -c -o $@ $<

$(FUZZ_OBJ)/libwhylate.a: $(FUZZ_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^

$(FUZZ_OBJ)/%: tests/fuzz/%.c $(FUZZ_OBJ)/libwhylate.a
	$(FUZZ_CC) $(CPPFLAGS) $(PKG_CFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $< $(FUZZ_OBJ)/libwhylate.a $(PKG_LIBS)

-include $(FUZZ_OBJS:.o=.d)

fuzz-run: fuzz
	tests/fuzz/driver/run '$(FUZZ_OBJ)' '$(SECONDS)' '$(FUZZ)'

fuzz-formats: all $(FUZZ_OBJ)/tool_results
	@bad=0; for format in $$(build/whylate formats --json | jq -r '.formats[].name'); do \
	    FUZZ_FORMAT=$$format tests/fuzz/driver/run '$(FUZZ_OBJ)' '$(SECONDS)' tool_results || bad=1; \
	done; exit $$bad

fuzz-numbers: $(FUZZ_OBJ)/import
	python3 tests/fuzz/each_number.py $(FUZZ_OBJ)/import
