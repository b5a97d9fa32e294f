# SPDX-License-Identifier: GPL-3.0-or-later
#
# make            build/whylate and build/whylate-capture
# make check      build and all tests (no apt)
# make test       make deps + make check
# make demo       install what is missing, build, and do the whole job on the samples
# make deps       install through apt only what is missing
#
# SAN=address,undefined  sanitizers     CC=clang  another compiler     DEV=0  no -Werror

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

DEV     ?= 1
SAN     ?=
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
DESTDIR ?=

# A comma, for $(subst).
, := ,

# Every variant has its own folder of objects; the programs always end up in build/.
VARIANT := $(notdir $(CC))$(if $(SAN),-$(subst $(,),-,$(SAN)))$(if $(XENO_CONFIG),-cobalt)
OBJ     := build/$(VARIANT)

VERSION := 0.1.0

WARN    := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wformat=2 -Wconversion
ifeq ($(DEV),1)
WARN    += -Werror
endif
OPT     ?= -O2 -g
LIBS    := libtraceevent jansson libarchive libzstd zlib gsl nettle
CPPFLAGS += -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DWHYLATE_VERSION='"$(VERSION)"'
CFLAGS  += -std=c17 $(OPT) $(WARN) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
LDFLAGS += $(if $(SAN),-fsanitize=$(SAN))
PKG_CFLAGS = $(shell pkg-config --cflags $(LIBS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(LIBS) 2>/dev/null) -lcsv -lm -lpthread

# The program's layers, in order; each may include only those to its left (tests/layers checks it).
LAYERS  := base bundle input store importers analyzers report cli
SRC     := $(sort $(foreach d,$(LAYERS),$(wildcard $(d)/*.c $(d)/*/*.c)))
OBJS    := $(SRC:%.c=$(OBJ)/%.o)
MAIN    := $(OBJ)/cli/main.o
LIB     := $(OBJ)/libwhylate.a

CAPTURE_SRC := $(sort $(wildcard base/*.c bundle/*.c capture/*.c capture/*/*.c))

.PHONY: all check test demo deps clean install uninstall
all: build/whylate build/whylate-capture

$(OBJ)/whylate: $(MAIN) $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# The variant built last is the one in build/, also when nothing had to be compiled for it.
.PHONY: always
build/whylate build/whylate-capture: build/%: $(OBJ)/% always
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }

$(LIB): $(filter-out $(MAIN),$(OBJS))
	@rm -f $@
	$(AR) rcs $@ $^

# Loops over columns are worth more than the usual care.
$(OBJ)/store/columns.o $(OBJ)/store/reader_columns.o: OPT += -O3
$(OBJ)/importers/trace_dat_columns.o: OPT += -funroll-loops

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf build

-include $(OBJS:.o=.d)

# Parts with rules of their own: *.mk beside what they build.
-include capture/capture.mk
-include tests/tests.mk
-include docs/docs.mk
-include .ci/ci.mk
