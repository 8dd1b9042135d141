package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/ui/safe"
)

// What is listed stands in columns, by cells and not by letters.
func TestListedConversations(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "talk.script", "text yes\nend\n")
	for _, prompt := range []string{"short", "给平均数函数写测试，然后运行"} {
		if _, errOut, code := p.run(t, "-p", prompt, "-C", ".", "--demo=talk.script"); code != 0 {
			t.Fatalf("exit %d %s", code, errOut)
		}
	}
	out, _, code := p.run(t, "sessions", "list", "-C", ".")
	rows := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(rows) != 2 || !strings.Contains(rows[0], "给平均数函数写测试，然后运行  /") || !strings.Contains(rows[1], "short") {
		t.Fatalf("exit %d:\n%s", code, out)
	}
	var folder [2]int
	for i, row := range rows {
		folder[i] = safe.Width(row[:strings.Index(row, " /")])
	}
	if folder[0] != folder[1] {
		t.Errorf("the folders begin at cells %v:\n%s", folder, out)
	}
}

// A conversation that another forge has open is gone on with in a copy: neither
// writes into the other's file.
func TestResumeWhatIsOpen(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "talk.script", "text first answer\nend\nexpect user second\ntext second answer\nend\n")
	if _, errOut, code := p.run(t, "-p", "first", "-C", ".", "--demo=talk.script"); code != 0 {
		t.Fatalf("exit %d %s", code, errOut)
	}
	glob := filepath.Join(p.home, "state", "forge", "sessions", "*.jsonl")
	files, err := filepath.Glob(glob)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	original := files[0]
	before, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := session.Open(original)
	if err != nil || other.ReadOnly() != "" {
		t.Fatalf("%v %s", err, other.ReadOnly())
	}
	out, errOut, code := p.run(t, "-c", "-p", "second", "-C", ".", "--demo=talk.script")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if out != "second answer\n" || code != 0 || !strings.HasPrefix(errOut, "forge: going on in a copy of that conversation: ") || strings.Count(errOut, "\n") != 1 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	after, err := os.ReadFile(original)
	if err != nil || string(after) != string(before) {
		t.Errorf("the open file was changed: %v", err)
	}
	if files, err = filepath.Glob(glob); err != nil || len(files) != 2 {
		t.Fatalf("%v %v", files, err)
	}
	all := p.sessions(t)
	if strings.Count(all, "first answer") != 2 || strings.Count(all, "second answer") != 1 {
		t.Errorf("%s", all)
	}
	// Closed again, it is gone on with itself. The copy is newer, so by name.
	id := strings.TrimSuffix(filepath.Base(original), ".jsonl")
	out, errOut, code = p.run(t, "--resume="+id, "-p", "second", "-C", ".", "--demo=talk.script")
	if out != "second answer\n" || errOut != "" || code != 0 {
		t.Errorf("afterwards: exit %d, %q, %q", code, out, errOut)
	}
}
