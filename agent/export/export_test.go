package export

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"forge/agent/session"
	"forge/provider"
)

const secret = "sk-abcdefghij0123456789abcd"

// hostile has what must not leave a machine, or move a cursor.
func hostile(t *testing.T) (session.Info, []session.Record) {
	t.Helper()
	s, err := session.Create(t.TempDir(), "/w", "main")
	if err != nil {
		t.Fatal(err)
	}
	user := provider.UserText("key " + secret + " \x1b[2J\u009b2J \u202eevil </script><script>alert(1)</script> ```\nfence")
	use := provider.Message{Role: provider.Assistant, Stop: provider.StopToolUse, Blocks: []provider.Block{
		provider.Text{Text: "[x](javascript:alert(1)) <img src=x onerror=alert(1)> ![p](https://example.org/p.png)"},
		provider.ToolUse{ID: "1", Name: "run_bash", Input: `{"command":"echo ` + secret + `"}`}}}
	result := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "1", Content: []provider.Block{
		provider.Text{Text: "out\x07put </pre><script>alert(2)</script>"}, provider.Image{MIME: `image/png" onload="x`, Data: "AAAA"}, provider.Image{MIME: "image/png", Data: "iVBO"}}}}}
	for _, m := range []provider.Message{user, use, result} {
		if err := s.Append(session.Record{Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A line of a kind this version does not know.
	f, err := os.OpenFile(s.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"seq":9,"type":"hologram","hologram":"kept"}` + "\n")
	f.Close()
	info, err := session.Find("", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, rs, err := session.Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return info, rs
}

func TestNothingLeavesThatMustNot(t *testing.T) {
	info, _ := hostile(t)
	talk, err := Read(info)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Format{Markdown, HTML, JSONL} {
		var b bytes.Buffer
		if err := Write(&b, f, talk); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if strings.Contains(out, secret) {
			t.Errorf("%s holds the key", f)
		}
		for _, r := range out {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0x202e {
				t.Errorf("%s holds %U", f, r)
				break
			}
		}
		if f == Markdown && (!strings.Contains(out, "![picture 1][picture-1]\n") || !strings.Contains(out, "\n[picture-1]: data:image/png;base64,iVBO")) {
			t.Error("the picture is not in the text")
		}
		if f == HTML {
			for _, bad := range []string{"<script", "onerror=", "javascript:", `onload="x"`} {
				if i := strings.Index(out, bad); i >= 0 && !strings.Contains(out[max(0, i-40):i], "&lt;") {
					t.Errorf("the page holds %s: %s", bad, out[max(0, i-60):i+40])
				}
			}
			if !strings.Contains(out, "data:image/png;base64,iVBO") {
				t.Error("the picture is not in the page")
			}
		}
	}
}

// What is exported as lines and taken in again is the same history, and what this
// version does not know is still in it.
func TestRoundTrip(t *testing.T) {
	info, rs := hostile(t)
	talk, err := Read(info)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x.jsonl")
	if err := File(file, JSONL, talk); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(file); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	if err := File(file, JSONL, talk); err == nil {
		t.Error("a file that is there was written over")
	}
	in, skipped, err := session.Import(filepath.Join(dir, "s"), file, "/elsewhere")
	if err != nil || skipped != (session.Damage{}) || in.ID == info.ID || in.Cwd != "/elsewhere" || in.Branch != "main" {
		t.Fatalf("%+v, %d left out, %v", in, skipped, err)
	}
	s, back, err := session.Open(in.Path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	clean := func(ms []provider.Message) string {
		var b strings.Builder
		for _, m := range ms {
			j, _ := m.MarshalJSON()
			b.WriteString(provider.Redact(string(j)))
		}
		return b.String()
	}
	if got, want := clean(session.Messages(back)), clean(session.Messages(rs)); got != want {
		t.Errorf("came back as\n%s\nwas\n%s", got, want)
	}
	if raw, _ := os.ReadFile(in.Path); !strings.Contains(string(raw), `"hologram":"kept"`) {
		t.Error("a line of an unknown kind was lost")
	}
	// A conversation that lies in no file is exported as well.
	talk.Path = ""
	if err := File(filepath.Join(dir, "y.jsonl"), JSONL, talk); err != nil {
		t.Fatal(err)
	}
	again, _, err := session.Import(filepath.Join(dir, "s"), filepath.Join(dir, "y.jsonl"), "/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	_, other, _ := session.Open(again.Path)
	if !reflect.DeepEqual(len(session.Messages(other)), len(session.Messages(back))) {
		t.Error("exported from memory it is another conversation")
	}
}

func TestText(t *testing.T) {
	info, _ := hostile(t)
	talk, err := Read(info)
	if err != nil {
		t.Fatal(err)
	}
	for seq := 1; seq <= 3; seq++ {
		text, row := talk.Text(seq)
		line := strings.Split(text, "\n")[row]
		if want := []string{"", "key ", "[x]", "→ run_bash"}[seq]; !strings.HasPrefix(line, want) {
			t.Errorf("record %d is at %q", seq, line)
		}
	}
}

// What was exported for people is taken in again whole, also behind text that looks
// like the comment, and without what was written into the text since.
func TestTakenInFromAnyFormat(t *testing.T) {
	info, rs := hostile(t)
	talk, err := Read(info)
	if err != nil {
		t.Fatal(err)
	}
	want := len(session.Messages(rs))
	dir := t.TempDir()
	for _, f := range []Format{Markdown, HTML, JSONL} {
		file := filepath.Join(dir, "x"+f.Ext())
		if err := File(file, f, talk); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(whole), secret) {
			t.Errorf("%s holds the key", f)
		}
		in, skipped, err := Import(filepath.Join(dir, "s"), file, "/elsewhere")
		if err != nil || skipped != (session.Damage{}) || in.ID == info.ID || in.Cwd != "/elsewhere" {
			t.Fatalf("%s: %+v, %d left out, %v", f, in, skipped, err)
		}
		back, err := Read(in)
		if err != nil || len(session.Messages(back.Records)) != want {
			t.Errorf("%s: %d messages, want %d, %v", f, len(session.Messages(back.Records)), want, err)
		}
		if f == JSONL {
			continue
		}
		for name, text := range map[string]string{
			"cut off": string(whole[:len(whole)-20]),
			"damaged": strings.Replace(string(whole), "\nH4sI", "\nH4sX", 1),
			"no conv": "# Something else\n\nwords\n",
		} {
			bad := filepath.Join(dir, name+f.Ext())
			if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := Import(filepath.Join(dir, "t"), bad, "/elsewhere"); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), bad) {
				t.Errorf("%s, %s: %v", f, name, err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "t", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
