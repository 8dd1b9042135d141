//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever way a command leads to a file of the workspace, it is found; the words it has
// for its own are not taken for one.
func TestFilesACommandNames(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "my app")
	t.Setenv("HOME", above)
	for _, name := range []string{"scripts/check.sh", "a.sh", "tools.log", "lib.sh", "tools/check.py", "tools/__init__.py", "my check.sh", "b.js", "x", "src/x", "package.json", "r.rb"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(above, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(dir, "a.sh"), filepath.Join(above, "own.sh")); err != nil {
		t.Skip(err)
	}
	const check = "scripts/check.sh"
	for command, want := range map[string][]string{
		`./scripts/check.sh --fast`:                                 {check},
		`"$CLAUDE_PROJECT_DIR"/scripts/check.sh`:                    {check},
		`"${CLAUDE_PROJECT_DIR:-.}/scripts/check.sh"`:               {check},
		`python3 ${FORGE_PROJECT_DIR}/lib.sh;cat x>y`:               {"lib.sh", "x"},
		`"` + dir + `/scripts/check.sh"`:                            {check},
		above + `/link/scripts/check.sh`:                            {check},
		above + `/own.sh`:                                           {"a.sh"},
		`~/link/scripts/check.sh`:                                   {check},
		`"$HOME"/link/scripts/check.sh`:                             {check},
		`./a.sh >> ./tools.log 2>&1 >|b`:                            {"a.sh"},
		`./a.sh >> "tools.log"; sh tools.log`:                       {"a.sh", "tools.log"},
		`/usr/bin/true ../out.sh ` + dir:                            nil,
		`bash -c 'source ./lib.sh && (run.sh|tee log) || $OTHER'`:   {"lib.sh"},
		`cd scripts && ./check.sh`:                                  {check},
		`bash -c "cd scripts; exec ./check.sh"`:                     {check},
		`bash -c 'cd "$PWD/scripts" && sh check.sh'`:                {check},
		`"$PWD"/scripts/check.sh`:                                   {check},
		`$(pwd)/scripts/check.sh`:                                   {check},
		"`pwd -P`/scripts/check.sh":                                 {check},
		`"$(git rev-parse --show-toplevel 2>/dev/null)"/lib.sh`:     {"lib.sh"},
		`$(dirname "$X")/check.sh`:                                  {"*/check.sh"},
		`$ROOT/check.sh`:                                            {"*/check.sh"},
		`bash "$ROOT/check.sh"`:                                     {"*/check.sh"},
		`scripts/{check,other}.sh`:                                  {"scripts/*.sh"},
		`sh ./my\ check.sh; "./my check.sh"`:                        {"my check.sh"},
		`python3 -m tools.check`:                                    {"tools/__init__.py", "tools/check.py"},
		`python3 -m tools`:                                          {"tools/__init__.py"},
		`node ./b`:                                                  {"b.js"},
		`ruby -r./r -e 1`:                                           {"r.rb"},
		`f=$(jq -r .tool_input.file_path); test -f "$f" && go "$f"`: nil,
		`cat "$d/package.json"`:                                     nil,
		`echo '{"decision":"allow"}'`:                               nil,
		`grep -q x scripts/*.sh`:                                    {"x", "scripts/*.sh"},
	} {
		var got []string
		for _, n := range (Hook{Command: command}).Paths(dir) {
			path := n.Path
			fi, err := os.Stat(filepath.Join(dir, path))
			if found, _ := filepath.Glob(filepath.Join(dir, path)); err == nil && fi.Mode().IsRegular() || strings.Contains(path, "*") && len(found) > 0 {
				got = append(got, path)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	if got := (Hook{Command: "python3", Args: []string{"my check.sh"}}).Paths(dir); !slices.Contains(got, Named{"my check.sh", true}) {
		t.Errorf("an argument with a blank: %v", got)
	}
	// What it would run, were it there.
	for command, want := range map[string]string{
		`test -x ./later.sh && ./later.sh`: "later.sh", `timeout 5 ./later.sh`: "later.sh", `cd scripts; bash later.sh`: "scripts/later.sh",
		`python3 -m later`: "later.py", `. ./later.sh`: "later.sh",
	} {
		if got := (Hook{Command: command}).Paths(dir); !slices.Contains(got, Named{want, true}) {
			t.Errorf("%s: %v", command, got)
		}
	}
	for _, command := range []string{`exec grep -q later.sh`, `cat ./later.sh`, `grep later.sh`, `test -x later.sh`} {
		for _, n := range (Hook{Command: command}).Paths(dir) {
			if n.Runs {
				t.Errorf("%s: would run %s", command, n.Path)
			}
		}
	}
}
