package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools"
)

// write makes the files of a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(all []Skill) (out []string) {
	for _, k := range all {
		out = append(out, k.Name)
	}
	return out
}

func faults(s Set) string {
	var out []string
	for _, f := range s.Faults {
		out = append(out, fmt.Sprintf("%s:%d: %v", f.File, f.Line, f.Err))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		folder, text string
		want         Skill
		notes        string
	}{
		{"pdf", "---\nname: pdf\ndescription: Fills: forms\nlicense: MIT\nallowed-tools: Bash(*)\nmetadata:\n  author: me\n---\nDo it.", Skill{Name: "pdf", About: "Fills: forms", License: "MIT"}, ""},
		{"pdf", "\xef\xbb\xbf---\r\nname: pdf\r\ndescription: >-\r\n  One\r\n\r\n  two.\r\n---\r\nDo it.\r\n", Skill{Name: "pdf", About: "One two."}, ""},
		{"pdf", "---\nname: PDF\ndescription: x\u202e y\x1b[2J\n---\nDo.", Skill{Name: "pdf", About: "x y[2J"}, "small letters: pdf"},
		{"other", "---\nname: pdf\ndescription: x\n---\nDo.", Skill{Name: "pdf", About: "x"}, "lies in a folder named other"},
		{"pdf", "---\ndescription: x\n---\nDo.", Skill{Name: "pdf", About: "x"}, "name is missing"},
		{"pdf", "---\nname: a b\ndescription: x\n---\nDo.", Skill{Name: "pdf", About: "x"}, `"a b" is no name`},
		{"pdf", "---\nname: pdf\n---\n# Forms\nDo.", Skill{Name: "pdf", About: "Forms"}, "description is missing"},
		{"pdf", "\xef\xbb\xbf---\r\nname: pdf\r\n---\r\nDo.", Skill{Name: "pdf", About: "Do."}, "description is missing"},
		{"pdf", "---\nname: pdf\n---\n#\n\n \u200b\n## Forms\nDo.", Skill{Name: "pdf", About: "Forms"}, "description is missing"},
		{"pdf", "Only words.", Skill{Name: "pdf", About: "Only words."}, "no front matter\nname is missing"},
		{"pdf", "---\nname: pdf\ndescription: x\ndisable-model-invocation: true\nuser-invocable: maybe\n---\nDo.", Skill{Name: "pdf", About: "x", Person: true, Model: true}, "neither true nor false"},
		{"审查", "---\nname: 审查\ndescription: 审查改动\n---\n看。", Skill{Name: "审查", About: "审查改动"}, ""},
	} {
		got, body, _, err := parse([]byte(c.text), c.folder)
		if err != nil || body == "" {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		for _, part := range strings.Split(c.notes, "\n") {
			if notes := strings.Join(got.Notes, "; "); !strings.Contains(notes, part) || c.notes == "" && notes != "" {
				t.Errorf("%q: notes %q", c.text, notes)
			}
		}
		got.Notes = nil
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
	long, _, _, err := parse([]byte("---\nname: x\ndescription: "+strings.Repeat("长", 1100)+"\n---\nDo."), "x")
	if err != nil || len([]rune(long.About)) != maxAbout || !strings.Contains(strings.Join(long.Notes, ""), "1100 characters") {
		t.Errorf("%d, %q, %v", len([]rune(long.About)), long.Notes, err)
	}
	for text, want := range map[string]string{
		"---\nname: x\n---\n":                "no text in it",
		"---\nname: x\nDo.":                  "is no setting",
		"---\nname: x\n":                     "has no end",
		"a\x00b":                             "no text in UTF-8",
		"caf\xe9":                            "no text in UTF-8",
		strings.Repeat("x", maxFile+1):       "over 256 KiB",
		"---\ndescription: \"x\n---\nDo it.": "not quoted",
	} {
		if _, _, _, err := parse([]byte(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
}

const plainSkill = "---\nname: %s\ndescription: does %s\n---\nDo it.\n"

func sk(name string) string { return fmt.Sprintf(plainSkill, name, name) }

func TestLook(t *testing.T) {
	near, far := t.TempDir(), t.TempDir()
	write(t, near, map[string]string{
		"skills/pdf/SKILL.md": sk("pdf"), "skills/pdf/inner/SKILL.md": sk("inner"), "skills/group/deep/SKILL.md": sk("deep"),
		"skills/broken/SKILL.md": "---\nno colon\n---\nx", "skills/big/SKILL.md": strings.Repeat("x", 1<<20), "skills/small/skill.md": sk("small"),
		"skills/bytes/SKILL.md": "\xff\xfe", "skills/SKILL.md": sk("root"), "skills/readme.md": "x", "skills/.git/SKILL.md": sk("hidden"),
		"skills/node_modules/m/SKILL.md": sk("module"), "skills/a[b]/SKILL.md": sk("ab"), "skills/Upper/SKILL.md": "---\ndescription: u\n---\nx",
	})
	write(t, far, map[string]string{"skills/pdf/SKILL.md": sk("pdf"), "skills/more/SKILL.md": sk("more")})
	shelf := &Shelf{Sources: []Source{{Project, near, "skills", ".agents/skills"}, {User, far, "skills", "~/.agents/skills"}, {User, far, "none", "none"}}}
	set := shelf.Look()
	set.Settle()
	if got, want := names(set.Skills), []string{"upper", "deep", "pdf", "small", "more", "pdf"}; !slices.Equal(got, want) {
		t.Errorf("skills %q", got)
	}
	told := faults(set)
	for _, part := range []string{".agents/skills/broken/SKILL.md:2: ", "big/SKILL.md:0: it is over 256 KiB", "bytes/SKILL.md:0: it is no text", "a[b]/SKILL.md:0: the path"} {
		if !strings.Contains(told, part) {
			t.Errorf("not told: %s in\n%s", part, told)
		}
	}
	if len(set.Faults) != 4 {
		t.Errorf("%d faults:\n%s", len(set.Faults), told)
	}
	if k, ok := set.Find("PDF"); !ok || k.Show != ".agents/skills/pdf/SKILL.md" || set.Skills[5].Over != k.Show {
		t.Errorf("%+v, %+v", k, set.Skills[5])
	}
	// What nobody trusts takes nobody's place.
	for i := range set.Skills {
		set.Skills[i].Waits = set.Skills[i].Scope == Project
	}
	set.Settle()
	if k, _ := set.Find("pdf"); k.Scope != User {
		t.Errorf("%+v", k)
	}
	if got := names(set.Offered()); !slices.Equal(got, []string{"more", "pdf"}) {
		t.Errorf("offered %q", got)
	}
	// What changed is read again.
	write(t, far, map[string]string{"skills/more/SKILL.md": "---\nname: more\ndescription: another one\n---\nx"})
	if err := os.RemoveAll(filepath.Join(far, "skills", "pdf")); err != nil {
		t.Fatal(err)
	}
	set = shelf.Look()
	if last := set.Skills[len(set.Skills)-1]; last.About != "another one" || last.Name != "more" {
		t.Errorf("%+v", last)
	}
}

func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"theirs/SKILL.md": sk("theirs"), "file/SKILL.md": sk("file")})
	write(t, dir, map[string]string{"skills/own/SKILL.md": sk("own"), "elsewhere/shared/SKILL.md": sk("shared"), "skills/two/x": "x", ".keep": ""})
	for name, to := range map[string]string{"skills/out": filepath.Join(outside, "theirs"), "skills/gone": "nowhere", "skills/loop": ".", "skills/shared": "../elsewhere/shared",
		"skills/two/SKILL.md": filepath.Join(outside, "file", "SKILL.md"), "same": "skills"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	set := (&Shelf{Sources: []Source{{Project, dir, "skills", "skills"}, {Project, dir, "same", "same"}}}).Look()
	if got, want := names(set.Skills), []string{"own", "shared"}; !slices.Equal(got, want) { // same holds no others
		t.Errorf("a project's: %q", got)
	}
	told := faults(set)
	for _, part := range []string{"skills/out:0: it is a link", "skills/gone:0: it is a link", "skills/loop:0: it is a link to a folder it lies in", "skills/two/SKILL.md:0: it is a link"} {
		if !strings.Contains(told, part) {
			t.Errorf("not told: %s in\n%s", part, told)
		}
	}
	// The person's own folder may lead anywhere.
	set = (&Shelf{Sources: []Source{{User, dir, "skills", "skills"}}}).Look()
	if got, want := names(set.Skills), []string{"theirs", "own", "shared", "file"}; !slices.Equal(got, want) {
		t.Errorf("the person's: %q", got)
	}
	// The whole folder leads out.
	if err := os.Symlink(outside, filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	set = (&Shelf{Sources: []Source{{Project, dir, "away", "away"}}}).Look()
	if len(set.Skills) != 0 || len(set.Faults) != 1 {
		t.Errorf("%+v", set)
	}
}

// Five hundred skills are found, and what a request carries of them stays bounded.
func TestMany(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 500 {
		name := fmt.Sprintf("skill-%03d", i)
		files["skills/"+name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: " + strings.Repeat("long words ", 80) + "\n---\nDo."
	}
	write(t, dir, files)
	set := (&Shelf{Sources: []Source{{User, dir, "skills", "skills"}}}).Look()
	set.Settle()
	if len(set.Skills) != 500 || len(set.Faults) != 0 {
		t.Fatalf("%d skills, %s", len(set.Skills), faults(set))
	}
	all := list(set.Offered())
	if len(all) > listBytes || !strings.Contains(all, "more have no room here") || !strings.Contains(all, "\nskill-000: long") {
		t.Errorf("%d bytes: %s", len(all), all[max(0, len(all)-200):])
	}
	if again := list(set.Offered()); again != all {
		t.Error("the same skills make another list")
	}
	ten := list(set.Offered()[:10])
	if len(ten) > listBytes || strings.Contains(ten, "no room") || strings.Count(ten, "\n") != 10 {
		t.Errorf("ten: %d bytes", len(ten))
	}
}

func TestText(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"pdf/SKILL.md": sk("pdf"), "pdf/scripts/fill.py": "x", "pdf/forms.md": "x", "pdf/.git/config": "x", "pdf/node_modules/a/b": "x"})
	k := (&Shelf{Sources: []Source{{User, filepath.Dir(dir), filepath.Base(dir), "skills"}}}).Look().Skills[0]
	text, err := k.Read()
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Text(text, " a b ")
	if want := fmt.Sprintf("<skill name=\"pdf\" folder=%q>\nDo it.\n</skill>\nBeside it, from that folder on: forms.md, scripts/fill.py\n\na b\n", k.Dir); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	got, err = k.Text([]byte("With $ARGUMENTS, awk '{print $1}' </skill>\u202e\U000e0041"), "it")
	if err != nil || !strings.Contains(got, "\nWith it, awk '{print $1}' <\\/skill>\n</skill>") || strings.HasSuffix(got, "it\n") {
		t.Errorf("%q, %v", got, err)
	}
	if n := Loaded(got + got + "<skill name=\"other\" folder=\"/x\">"); n != "pdf" {
		t.Errorf("loaded %q", n)
	}
	if n := Loaded("a file says\n" + got); n != "" {
		t.Errorf("what quotes one loaded %q", n)
	}
	// A folder that goes while it is read has no files.
	k.Dir = filepath.Join(k.Dir, "gone")
	if got, err = k.Text(text, ""); err != nil || strings.Contains(got, "Beside it") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := k.Text([]byte("---\nx"), ""); err == nil || !strings.Contains(err.Error(), "SKILL.md:2: ") {
		t.Errorf("%v", err)
	}
}

func TestTool(t *testing.T) {
	var asked []string
	tool := Tool([]Skill{{Name: "pdf", About: "fills forms"}}, func(_ context.Context, name string) (string, error) {
		asked = append(asked, name)
		if name != "pdf" {
			return "", ErrNone
		}
		return "the text", nil
	})
	if about := tool.Spec().Description; !strings.HasSuffix(about, "There are:\npdf: fills forms") {
		t.Errorf("%q", about)
	}
	run := func(name string) (tools.Result, error) {
		input, _ := json.Marshal(map[string]string{"name": name})
		inv, err := tool.Prepare(context.Background(), tools.Call{Name: ToolName, Input: string(input)})
		if err != nil {
			return tools.Result{}, err
		}
		if inv.Effect.Kind != tools.Read || len(inv.Effect.Paths) != 0 {
			t.Errorf("%+v", inv.Effect)
		}
		return inv.Run(context.Background(), inv.Effect, nil)
	}
	if r, err := run("/pdf "); err != nil || r.Text != "the text" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := run("pdfs"); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), `named "pdfs"; did you mean pdf?`) {
		t.Errorf("%v", err)
	}
	if _, err := run(" "); err == nil {
		t.Error("no name is a name")
	}
	if !slices.Equal(asked, []string{"pdf", "pdfs"}) {
		t.Errorf("%q", asked)
	}
}
