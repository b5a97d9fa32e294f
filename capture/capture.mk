# SPDX-License-Identifier: GPL-3.0-or-later
#
# build/whylate-capture: static, needs nothing but the kernel on the target.
#   make capture-cross                    armhf, arm64 and riscv64 (Debian's cross compilers)
#   make capture XENO_CONFIG=path         linked with Xenomai's libcobalt

CAPTURE_OBJ    := $(OBJ)/capture-program
CAPTURE_OBJS   := $(CAPTURE_SRC:%.c=$(CAPTURE_OBJ)/%.o)
# Sanitizers need the dynamic libc.
CAPTURE_STATIC := $(if $(SAN)$(XENO_CONFIG),,-static -Wl,--gc-sections -Wl,-z,noseparate-code)
# Not the library's own start of main(): it would take options that are the agent's (--trace, --quiet, --version).
XENO_CFLAGS    := $(if $(XENO_CONFIG),$(patsubst -I%,-isystem%,$(shell $(XENO_CONFIG) --skin=posix --cflags)))
XENO_LDFLAGS   := $(if $(XENO_CONFIG),$(shell $(XENO_CONFIG) --skin=posix --ldflags --no-auto-init))
ifneq ($(XENO_CONFIG),)
ifeq ($(XENO_LDFLAGS),)
$(error $(XENO_CONFIG) gives no flags for the POSIX API)
endif
endif

.PHONY: capture
capture: build/whylate-capture

$(OBJ)/whylate-capture: $(CAPTURE_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) $(CAPTURE_STATIC) -o $@ $^ $(XENO_LDFLAGS) -lpthread

$(CAPTURE_OBJ)/%.o: %.c Makefile capture/capture.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(XENO_CFLAGS) $(CFLAGS) -ffunction-sections -fdata-sections -MMD -MP -c -o $@ $<

-include $(CAPTURE_OBJS:.o=.d)

# The targets people measure on. Each measures a second under qemu-user: a program that does not run there is not built.
CROSS := arm-linux-gnueabihf:qemu-arm-static aarch64-linux-gnu:qemu-aarch64-static riscv64-linux-gnu:qemu-riscv64-static
CROSS_DEPS := gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
              gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static

.PHONY: capture-cross capture-cross-deps
capture-cross:
	@set -e; for pair in $(CROSS); do \
	    triple=$${pair%%:*} emulator=$${pair#*:}; \
	    $(MAKE) --no-print-directory CC=$$triple-gcc OBJ=build/$$triple build/$$triple/whylate-capture; \
	    $$triple-strip -o build/$$triple/whylate-capture.stripped build/$$triple/whylate-capture; \
	    rm -rf build/$$triple/bundle; \
	    $$emulator build/$$triple/whylate-capture -q --policy other --trace off -c 0 -d 1s -o build/$$triple/bundle; \
	    grep -q "^state	complete" build/$$triple/bundle/bundle.txt && [ "$$(stat -c %s build/$$triple/bundle/samples-0.wls)" -gt 3200 ]; \
	    echo "$$triple: $$(stat -c %s build/$$triple/whylate-capture.stripped) bytes stripped"; \
	done

capture-cross-deps:
	@missing=; for p in $(CROSS_DEPS); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	[ -z "$$missing" ] || { sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; $$sudo apt-get update -q && $$sudo apt-get install -y -q --no-install-recommends $$missing; }

# The agent on an emulated PREEMPT_RT machine, with provoked causes (needs apt; about 5 minutes).
.PHONY: check-target
check-target: all
	tests/target/run

.PHONY: bench-capture
bench-capture: all
	tests/bench/capture.sh
