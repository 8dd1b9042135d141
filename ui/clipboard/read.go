package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Held is what a clipboard holds: a picture, else a text. A copied file is a text of
// its address.
type Held struct {
	Picture []byte // encoded, of a kind that models read
	Text    string
}

// Errors of Read.
var (
	ErrNoReader = errors.New("no program that reads the clipboard was found: install wl-clipboard or xclip")
	ErrRemote   = errors.New("over ssh the clipboard is on the other machine")
	ErrEmpty    = errors.New("the clipboard holds no picture and no text")
)

// readWait is how long a program may take to give a picture: powershell starts slowly.
const readWait = 10 * time.Second

// mostHeld bounds what is read of a clipboard, in bytes.
const mostHeld = 64 << 20

// kinds of pictures that are asked for, the best first.
var kinds = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// Read asks the system's clipboard for a picture, and for its text where it has none. The
// terminal itself cannot be asked: it gives text alone, if anything.
func Read(ctx context.Context, getenv func(string) string) (Held, error) {
	return read(ctx, runtime.GOOS, getenv)
}

func read(ctx context.Context, system string, getenv func(string) string) (Held, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	failed := error(nil)
	at := pathsOf(getenv)
	for _, r := range at.readers(system, getenv) {
		if _, err := at.look(r.program); err != nil {
			continue
		}
		held, err := r.read(ctx)
		if err == nil && len(held.Picture) == 0 && held.Text == "" {
			err = ErrEmpty
		}
		if err == nil {
			return held, nil
		}
		failed = err
	}
	switch {
	case failed != nil:
		return Held{}, failed
	case remote(getenv):
		return Held{}, ErrRemote
	}
	return Held{}, ErrNoReader
}

func remote(getenv func(string) string) bool {
	return getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != ""
}

// reader is one program that reads a clipboard.
type reader struct {
	program string
	read    func(context.Context) (Held, error)
}

// readers lists those that may be tried, the surest first. X passes its clipboard on
// over ssh, where it is forwarded; the others would read a machine nobody sits at.
func (p paths) readers(system string, getenv func(string) string) []reader {
	var out []reader
	far := remote(getenv)
	switch {
	case far:
	case system == "darwin":
		out = append(out, reader{"osascript", p.readMac})
	case system == "windows" || getenv("WSL_DISTRO_NAME") != "":
		out = append(out, reader{powershell, p.readWindows})
	}
	if getenv("WAYLAND_DISPLAY") != "" && !far {
		out = append(out, reader{"wl-paste", func(ctx context.Context) (Held, error) {
			return p.offered(ctx, []string{"wl-paste", "--list-types"}, func(kind string) []string {
				return []string{"wl-paste", "--no-newline", "--type", kind}
			})
		}})
	}
	if getenv("DISPLAY") != "" {
		out = append(out, reader{"xclip", func(ctx context.Context) (Held, error) {
			return p.offered(ctx, xclip("TARGETS"), xclip)
		}})
	}
	return out
}

func xclip(kind string) []string {
	return []string{"xclip", "-selection", "clipboard", "-o", "-t", kind}
}

// offered asks which kinds there are, and for the best of them.
func (p paths) offered(ctx context.Context, list []string, get func(kind string) []string) (Held, error) {
	types, err := p.output(ctx, list...)
	if err != nil {
		return Held{}, emptied(err)
	}
	there := strings.Fields(string(types))
	for _, k := range kinds {
		if slices.Contains(there, k) {
			data, err := p.output(ctx, get(k)...)
			return Held{Picture: data}, err
		}
	}
	for _, k := range []string{"text/uri-list", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"} {
		if slices.Contains(there, k) {
			text, err := p.output(ctx, get(k)...)
			return Held{Text: strings.ToValidUTF8(string(text), "\uFFFD")}, err
		}
	}
	return Held{}, ErrEmpty
}

// emptied tells a clipboard with nothing in it from one that cannot be reached: the
// programs fail for both.
func emptied(err error) error {
	for _, said := range []string{"Nothing is copied", "No selection", "target TARGETS not available", "There is no owner"} {
		if strings.Contains(err.Error(), said) {
			return ErrEmpty
		}
	}
	return err
}

// readMac asks macOS, which gives a picture as the digits of its bytes: «data PNGf89…».
func (p paths) readMac(ctx context.Context) (Held, error) {
	if out, err := p.output(ctx, "osascript", "-e", "the clipboard as «class PNGf»"); err == nil {
		_, digits, ok := strings.Cut(strings.TrimSpace(string(out)), "PNGf")
		data, err := hex.DecodeString(strings.TrimSuffix(digits, "»"))
		if ok && err == nil && len(data) > 0 {
			return Held{Picture: data}, nil
		}
	}
	if out, err := p.output(ctx, "osascript", "-e", "POSIX path of (the clipboard as «class furl»)"); err == nil {
		if path := strings.TrimSpace(string(out)); path != "" {
			return Held{Text: path}, nil
		}
	}
	out, err := p.output(ctx, "pbpaste")
	return Held{Text: strings.ToValidUTF8(string(out), "\uFFFD")}, err
}

// windowsScript writes a picture as base64 behind a P, copied files and text behind
// an F or a T.
const windowsScript = `Add-Type -AssemblyName System.Windows.Forms
[Console]::OutputEncoding = [Text.Encoding]::UTF8
$i = [Windows.Forms.Clipboard]::GetImage()
if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); 'P' + [Convert]::ToBase64String($m.ToArray()); exit }
$f = [Windows.Forms.Clipboard]::GetFileDropList()
if ($f.Count -gt 0) { 'F' + ($f -join [char]10); exit }
'T' + [Windows.Forms.Clipboard]::GetText()`

func (p paths) readWindows(ctx context.Context) (Held, error) {
	out, err := p.output(ctx, powershell, "-NoProfile", "-NonInteractive", "-STA", "-Command", windowsScript)
	if err != nil {
		return Held{}, err
	}
	return windowsHeld(string(out))
}

func windowsHeld(out string) (Held, error) {
	out = strings.TrimRight(strings.TrimPrefix(out, "\ufeff"), "\r\n")
	if out == "" {
		return Held{}, ErrEmpty
	}
	kind, rest := out[0], out[1:]
	if kind == 'P' {
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		return Held{Picture: data}, err
	}
	return Held{Text: rest}, nil
}

// output runs a program and returns what it wrote; an error has what it complained of.
func (p paths) output(ctx context.Context, argv ...string) ([]byte, error) {
	program, err := p.look(argv[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	var said bytes.Buffer
	out := &bounded{most: mostHeld}
	cmd.Stdout, cmd.Stderr = out, &said
	cmd.WaitDelay = 200 * time.Millisecond
	err = cmd.Run()
	switch {
	case out.over:
		return nil, errors.New("the clipboard holds more than 64 MB")
	case ctx.Err() != nil:
		return nil, errors.New(argv[0] + " gave no answer")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		if s := strings.TrimSpace(said.String()); s != "" {
			return nil, errors.New(argv[0] + ": " + s)
		}
		return nil, errors.New(argv[0] + ": " + err.Error())
	}
	return out.b.Bytes(), nil
}

// bounded takes no more than it has room for.
type bounded struct {
	b    bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.b.Len()+len(p) > b.most; b.over {
		return 0, errors.New("too much")
	}
	return b.b.Write(p)
}
