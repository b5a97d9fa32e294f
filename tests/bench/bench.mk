# SPDX-License-Identifier: GPL-3.0-or-later
#
# make bench         the table of rates: medians of 5 rounds, ratios beside them (tests/bench/bench.sh)
# make bench ONLY=x  only the tables whose name contains x; every tests/bench/TABLE.bench is one

BENCH_OBJS := $(OBJ)/tests/synth/dat.o $(OBJ)/tests/synth/dat_formats.o $(OBJ)/tests/synth/symbols.o
BENCH_BIN  := $(OBJ)/tests/bench/make_trace $(OBJ)/tests/bench/limits $(OBJ)/tests/bench/iterate $(OBJ)/tests/bench/store $(OBJ)/tests/bench/timed

.PHONY: bench
bench: all $(BENCH_BIN)
	OBJ='$(OBJ)' ONLY='$(ONLY)' tests/bench/bench.sh

$(OBJ)/tests/bench/make_trace: tests/bench/make_trace.c $(BENCH_OBJS) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(OBJ)/tests/bench/limits $(OBJ)/tests/bench/timed: $(OBJ)/%: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

# The empty loop over tracecmd_iterate_events(); without libtracecmd it says so.
$(OBJ)/tests/bench/iterate: tests/bench/iterate.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $$(pkg-config --cflags libtracecmd 2>/dev/null) -o $@ $< $$(pkg-config --libs libtracecmd 2>/dev/null)

$(OBJ)/tests/bench/store: tests/bench/store.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)
