# SPDX-License-Identifier: GPL-3.0-or-later
#
# make check         build and run all tests: unit (tests/unit/*.c, cmocka), cases (tests/cases/*/), bad input
#                    (tests/bad/*/), scripts (tests/scripts/*.sh)
#                    Programs that scripts use are in tests/tools/*.c.
# make check ONLY=x  only those whose name contains x
# make update        rewrite the cases' expectations; review the diff

TEST_SRC  := $(sort $(wildcard tests/unit/*.c))
TEST_BIN  := $(TEST_SRC:%.c=$(OBJ)/%)
TOOL_SRC  := $(sort $(wildcard tests/tools/*.c))
TOOL_BIN  := $(TOOL_SRC:%.c=$(OBJ)/%)
TEST_LIBS := -lcmocka

.PHONY: check-programs update
check-programs: all $(TEST_BIN) $(TOOL_BIN)

$(OBJ)/tests/%: tests/%.c $(LIB) Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(LIB) $(TEST_LIBS) $(PKG_LIBS)

-include $(TEST_BIN:=.d) $(TOOL_BIN:=.d)

check: check-programs
	OBJ='$(OBJ)' ONLY='$(ONLY)' tests/run

update: check-programs
	OBJ='$(OBJ)' ONLY='$(ONLY)' tests/run --update

test:
	$(MAKE) deps
	$(MAKE) check

-include tests/fuzz/fuzz.mk
-include tests/bench/bench.mk
-include tests/accuracy/*.mk
-include tests/synth/synth.mk
