package doctor

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"

	"forge/lazy"
	"forge/ui/clipboard"
	"forge/ui/lang"
)

// Programs are the checks of what forge starts, and of what models like to start.
func (h Here) Programs() []Check {
	return []Check{
		{ID: "program.git", Run: h.git},
		{ID: "program.rg", Run: h.rg},
		{ID: "program.clipboard", Run: h.clipboard},
		{ID: "program.editor", Run: h.editor},
	}
}

var number = lazy.Regexp{Expr: `\d+(\.\d+)+[-.\w]*`}

// version runs a program for its version; missing says that it is not there at all.
func (h Here) version(ctx context.Context, program string) (version, path string, err error) {
	if path, err = h.look(program); err != nil {
		return "", "", exec.ErrNotFound
	}
	out, err := h.output(ctx, path, "--version")
	if err != nil {
		return "", path, err
	}
	line, _, _ := strings.Cut(out, "\n")
	return number.Get().FindString(line), path, nil
}

func (h Here) git(ctx context.Context) []Finding {
	v, path, err := h.version(ctx, "git")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []Finding{{"program.git", Warn, lang.T("git is not installed: no /diff, no branch, and undo sees less"), install("git")}}
	case err != nil:
		return []Finding{{"program.git", Warn, lang.T("git does not run: %s", err.Error()), lang.T("run %s and mend what it says", path+" --version")}}
	}
	return []Finding{{"program.git", Ok, lang.T("git %s (%s)", v, path), ""}}
}

func (h Here) rg(ctx context.Context) []Finding {
	v, path, err := h.version(ctx, "rg")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []Finding{{"program.rg", Ok, lang.T("ripgrep is not installed; forge searches without it"), ""}}
	case err != nil:
		return []Finding{{"program.rg", Warn, lang.T("rg does not run: %s; forge searches without it, models may not", err.Error()), lang.T("run %s and mend what it says", path+" --version")}}
	}
	return []Finding{{"program.rg", Ok, lang.T("rg %s (%s)", v, path), ""}}
}

func (h Here) clipboard(context.Context) []Finding {
	program, wanted := clipboard.Program(h.getenv, h.look)
	seq := clipboard.Sequence("x", h.getenv) != ""
	switch {
	case program != "" && seq:
		return []Finding{{"program.clipboard", Ok, lang.T("copying goes through %s, and through the terminal (OSC 52)", program), ""}}
	case program != "":
		return []Finding{{"program.clipboard", Ok, lang.T("copying goes through %s", program), ""}}
	case seq && !wanted: // over ssh, say: the terminal is the only way, and the right one
		return []Finding{{"program.clipboard", Ok, lang.T("copying goes through the terminal alone (OSC 52)"), ""}}
	case seq:
		return []Finding{{"program.clipboard", Warn, lang.T("copying goes through the terminal alone (OSC 52), and not every terminal takes it"), install("wl-clipboard, xclip")}}
	}
	return []Finding{{"program.clipboard", Warn, lang.T("nothing can be copied: this terminal takes no text, and no program for the clipboard was found"), lang.T("/export writes the conversation to a file instead")}}
}

// UsualEditors are the editors that are taken where the person names none, the first
// that is there.
func UsualEditors() []string {
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"nano", "vi"}
}

func (h Here) editor(context.Context) []Finding {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		words := strings.Fields(h.getenv(name))
		if len(words) == 0 {
			continue
		}
		if _, err := h.look(words[0]); err != nil {
			return []Finding{{"program.editor", Warn, lang.T("the editor %s of $%s is not there", words[0], name), lang.T("set %s to an editor that is installed", name)}}
		}
		return []Finding{{"program.editor", Ok, lang.T("editor: %s", strings.Join(words, " ")), ""}}
	}
	for _, name := range UsualEditors() {
		if _, err := h.look(name); err == nil {
			return []Finding{{"program.editor", Ok, lang.T("editor: %s", name) + lang.T("; ") + lang.T("set EDITOR for another one"), ""}}
		}
	}
	return []Finding{{"program.editor", Warn, lang.T("no editor is named, and none that is usual is installed"), lang.T("set EDITOR, for example export EDITOR=nano")}}
}

// install says how programs are installed here.
func install(programs string) string {
	first, _, _ := strings.Cut(programs, ",")
	switch runtime.GOOS {
	case "darwin":
		return lang.T("install %s, for example: %s", programs, "brew install "+first)
	case "linux":
		return lang.T("install %s, for example: %s", programs, "sudo apt install "+first)
	}
	return lang.T("install %s", programs)
}
