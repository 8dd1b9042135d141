package hook

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatAScriptLeansOn(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, text string
		want       []string
	}{
		{"hooks/a.sh", "#!/bin/sh\n. ./lib.sh\n", []string{"hooks/lib.sh", "lib.sh"}},
		{"hooks/a.sh", "source \"$(dirname \"$0\")/lib.sh\"\n", []string{"hooks/lib.sh"}},
		{"hooks/a", "#!/usr/bin/env bash\nD=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource \"$D/lib.sh\" || exit 1\n", []string{"hooks/lib.sh"}},
		{"hooks/a.sh", "\"$CLAUDE_PROJECT_DIR\"/scripts/b.sh\n", []string{"scripts/b.sh"}},
		{"hooks/a.sh", "if ! python3 hooks/c.py; then exit 2; fi\n", []string{"hooks/c.py"}},
		{"hooks/a.py", "import json, helper as h\nfrom rules.all import deny\n", []string{"hooks/helper.py", "hooks/json.py", "hooks/rules/all.py", "hooks/rules/all/deny.py", "hooks/helper/__init__.py"}},
		{"hooks/a.py", "from . import near\n", []string{"hooks/near.py"}},
		{"hooks/a.py", "from .. import far\nfrom ..two.more import x\nfrom .near import y\n", []string{"far.py", "two/more.py", "two/__init__.py", "hooks/near.py", "hooks/near/y.py"}},
		{"hooks/a.py", "import one.two.three\n", []string{"hooks/one/__init__.py", "hooks/one/two/__init__.py", "hooks/one/two/three.py"}},
		{"hooks/a", "#!/usr/bin/env python3\nimport helper\n", []string{"hooks/helper.py"}},
		{"hooks/a.mjs", "import { x } from './lib/x.mjs'\nconst y = require(\"../y\")\n", []string{"hooks/lib/x.mjs", "y.js", "y/index.js"}},
	} {
		var got []string
		for _, n := range Leans(c.path, c.text, dir) {
			got = append(got, n.Path)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s %q: %q lacks %s", c.path, c.text, got, w)
			}
		}
	}
	for _, text := range []string{"#!/bin/sh\n# . ./lib.sh\n", "#!/bin/sh\njq -r .tool_input.file_path\ncat README.md\ntest -e package.json && exit 0\n", "#!/bin/sh\n/usr/bin/true ../../x\n"} {
		if got := Leans("a.sh", text, dir); len(got) > 0 {
			t.Errorf("%q leans on %v", text, got)
		}
	}
	if got := Leans("hooks/a.py", "import json\n", dir); !slices.Contains(got, Named{"hooks/json.py", true}) {
		t.Errorf("a module that may come later: %v", got)
	}
	if got := Leans("a.sh", ". "+filepath.Join(dir, "lib.sh")+"\n", dir); !slices.Contains(got, Named{"lib.sh", false}) {
		t.Errorf("%v", got)
	}
}
