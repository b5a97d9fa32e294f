# SPDX-License-Identifier: GPL-3.0-or-later
#
# build/whylate-capture: static, needs nothing but the kernel on the target.
#   make capture-cross                    armhf, arm64 and riscv64 (Debian's cross compilers)
#   make capture XENO_CONFIG=path         linked with Xenomai's libcobalt

CAPTURE_OBJ    := $(OBJ)/capture-program
CAPTURE_OBJS   := $(CAPTURE_SRC:%.c=$(CAPTURE_OBJ)/%.o)
# Sanitizers need the dynamic libc.
CAPTURE_STATIC := $(if $(SAN)$(XENO_CONFIG),,-static)
XENO_CFLAGS    := $(if $(XENO_CONFIG),$(shell $(XENO_CONFIG) --skin=posix --cflags))
XENO_LDFLAGS   := $(if $(XENO_CONFIG),$(shell $(XENO_CONFIG) --skin=posix --ldflags --auto-init-solib))

.PHONY: capture
capture: build/whylate-capture

$(OBJ)/whylate-capture: $(CAPTURE_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) $(CAPTURE_STATIC) -o $@ $^ $(XENO_LDFLAGS) -lpthread

$(CAPTURE_OBJ)/%.o: %.c Makefile capture/capture.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(XENO_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(CAPTURE_OBJS:.o=.d)
