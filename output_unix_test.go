//go:build unix

package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// What was too long to show stands in a file the result names, and may be read on
// in without a question.
func TestLongOutputCanBeReadOn(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "long.script", `call run_bash {"command":"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo \"line $i of many\"; done"}`+"\nend\ntext seen\nend\n")
	out, errOut, code := p.run(t, "-p", "count", "-C", ".", "--demo=long.script", "--yolo", "--output-format", "stream-json")
	if code != 0 {
		t.Fatalf("exit %d %s", code, errOut)
	}
	var text string
	for line := range strings.Lines(out) {
		if l := gjson.Parse(line); l.Get("type").String() == "tool_end" {
			text = l.Get("text").String()
		}
	}
	file := regexp.MustCompile(regexp.QuoteMeta(p.home) + `\S+\.txt`).FindString(text)
	if file == "" || len(text) > 100_000 || !strings.Contains(text, "line 20000 of many") || strings.Contains(text, "line 10000 of many") {
		t.Fatalf("%d bytes, file %q: …%s", len(text), file, text[max(0, len(text)-400):])
	}
	p.write(t, "on.script", fmt.Sprintf("call read_file {\"path\":%q,\"offset\":10000,\"limit\":1}\nend\nexpect result[read_file] line 10000 of many\ntext read on\nend\n", file))
	if out, errOut, code := p.run(t, "-p", "read on", "-C", ".", "--demo=on.script"); out != "read on\n" || code != 0 {
		t.Errorf("exit %d %s %s", code, out, errOut)
	}
}
