package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/agent"
	"forge/agent/mark"
	"forge/agent/session"
	"forge/provider"
	"forge/tilde"
	"forge/tools/picture"
	"forge/tools/sandbox"
	"forge/ui"
	"forge/ui/attach"
	"forge/ui/cli"
	"forge/ui/clipboard"
	"forge/ui/lang"
)

// Bounds of the pictures a person attaches.
const (
	mostPictureBytes = 64 << 20 // of a file that is read to be scaled down
	keptPictureDays  = 90       // since a text last named it
	mostSentBytes    = 9 << 20  // of one prompt's: in base64 they fit a record of a session
)

// pictures is where what a person attaches is kept: beside the conversations, or as
// long as forge runs where those are not kept.
func (f *forge) openPictures() error {
	f.pictures = session.Pictures{Dir: f.dirs.Pictures()}
	switch {
	case f.from != nil:
		f.pictures = f.from.pictures
		return nil
	case !f.forgets():
		return nil
	}
	dir, err := sandbox.NewScratch("", sandbox.ScratchPictures)
	if err != nil {
		return err
	}
	f.atEnd(func() { logged("pictures not removed", dir.Close()) })
	f.pictures.Dir = dir.Path()
	return nil
}

// attachFlags puts the pictures of the command line behind the prompt.
func (f *forge) attachFlags() error {
	var marks []string
	for i, file := range f.flags.Images {
		m, err := f.keepPictureFile(file)
		if err != nil {
			return cli.Usage{Err: fmt.Errorf("--image: %w", err)}
		}
		m.N = i + 1
		marks = append(marks, m.String())
	}
	if marks == nil {
		return nil
	}
	with := func(s string) string { return strings.TrimPrefix(s+"\n\n"+strings.Join(marks, " "), "\n\n") }
	switch {
	case f.flags.Headless:
		f.prompt = with(f.prompt)
	case f.flags.Prompt == "": // what they are about is to be written yet
		f.drafted = strings.Join(marks, " ") + " "
	default:
		f.flags.Prompt = with(f.flags.Prompt)
	}
	return nil
}

// draft is what stands in the prompt at first.
func (f *forge) draft(kept session.Prompts) string {
	d := kept.Draft()
	if d != "" && f.drafted != "" && !strings.HasSuffix(d, " ") && !strings.HasSuffix(d, "\n") {
		d += " "
	}
	return d + f.drafted
}

// keepPictureFile keeps the picture in a file.
func (f *forge) keepPictureFile(path string) (mark.Mark, error) {
	file, err := os.Open(path)
	if err != nil {
		return mark.Mark{}, err
	}
	defer file.Close()
	fi, err := file.Stat()
	switch {
	case err != nil:
		return mark.Mark{}, err
	case !fi.Mode().IsRegular():
		return mark.Mark{}, fmt.Errorf(lang.T("%s is no file"), path)
	case fi.Size() > mostPictureBytes:
		return mark.Mark{}, fmt.Errorf(lang.T("%s is larger than %d MB; make a smaller copy first"), path, mostPictureBytes>>20)
	}
	data, err := io.ReadAll(io.LimitReader(file, mostPictureBytes))
	if err != nil {
		return mark.Mark{}, err
	}
	m, err := f.keepPicture(data)
	if errors.Is(err, picture.ErrNone) && strings.HasPrefix(http.DetectContentType(data), "image/") {
		return m, fmt.Errorf(lang.T("%s: models take PNG, JPEG, GIF and WebP; convert it first"), path)
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// keepPicture keeps a picture as it is to be sent.
func (f *forge) keepPicture(data []byte) (mark.Mark, error) {
	pic, err := picture.Fit(data, picture.Limits{})
	if err != nil {
		return mark.Mark{}, err
	}
	name, err := f.pictures.Keep(pic.Data, picture.Extension(pic.MIME))
	if err != nil {
		return mark.Mark{}, err
	}
	return mark.Mark{N: 1, Width: pic.Width, Height: pic.Height, Name: name}, nil
}

// sent finds the pictures that the marks of a prompt stand for, each once. Many large
// ones share the room there is.
func (f *forge) sent(words string) (found []provider.Image, gone []error) {
	datas, gone := f.namedPictures(words)
	sum := 0
	for _, d := range datas {
		sum += len(d)
	}
	for _, d := range datas {
		pic := picture.Picture{MIME: picture.Kind(d), Data: d}
		if sum > mostSentBytes {
			small, err := picture.Fit(d, picture.Limits{Bytes: mostSentBytes / len(datas)})
			if err != nil {
				gone = append(gone, err)
				continue
			}
			pic = small
		}
		found = append(found, provider.Image{MIME: pic.MIME, Data: base64.StdEncoding.EncodeToString(pic.Data)})
	}
	return found, gone
}

// namedPictures reads the pictures that the marks of a text stand for.
func (f *forge) namedPictures(words string) (datas [][]byte, gone []error) {
	had := map[string]bool{}
	for _, m := range mark.In(words) {
		if had[m.Name] {
			continue
		}
		had[m.Name] = true
		data, err := f.pictures.Read(m.Name)
		kind := picture.Kind(data)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone = append(gone, fmt.Errorf(lang.T("%s is kept no longer; attach it again"), m.Short()))
		case err != nil:
			gone = append(gone, fmt.Errorf("%s: %w", m.Short(), err))
		case kind == "":
			gone = append(gone, fmt.Errorf(lang.T("%s is damaged; attach it again"), m.Short()))
		default:
			datas = append(datas, data)
		}
	}
	return datas, gone
}

// attachable is what the screen can attach.
func (f *forge) attachable() *ui.Pictures {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // a ~ is a ~ then
	}
	return &ui.Pictures{
		Keep: f.keepPicture, Drop: f.drop, File: f.pictureFile, Home: home,
		Clipboard: func(ctx context.Context) (clipboard.Held, error) { return clipboard.Read(ctx, f.elsewhere) },
	}
}

// drop is what a file that was dropped becomes in a prompt: the mark of a picture, or a
// mention where it lies in the workspace. What lies elsewhere stays the path it is: a
// mention would hand it to the model.
func (f *forge) drop(path string) (string, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil: // words that look like a path
		return "", nil
	case fi.Mode().IsRegular() && isPicture(path):
		m, err := f.keepPictureFile(path)
		if err != nil {
			return "", err
		}
		return m.String(), nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil
	}
	rel, err := filepath.Rel(f.hands.workspace.Root(), real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil
	}
	if rel = filepath.ToSlash(rel); fi.IsDir() {
		rel += "/"
	}
	return attach.Mention(rel), nil
}

// isPicture reports whether a file holds a picture, by its first bytes.
func isPicture(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(file, head) // shorter ones are none
	return picture.Kind(head[:n]) != ""
}

// prunePictures forgets what no text named for long, and never what is younger than the
// conversations that are kept.
func (f *forge) prunePictures() {
	days := max(keptPictureDays, f.cfg.KeepSessions)
	f.pictures.Prune(time.Now().AddDate(0, 0, -days))
}

// pictureFile is the file of a mark, for a person to open; empty: it is kept no longer.
func (f *forge) pictureFile(name string) string {
	path := f.pictures.Path(name)
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return tilde.Short(path)
}

// illustrated is an agent whose first prompt gets the pictures of the command line, where
// there is no composer they could stand in.
type illustrated struct {
	ui.Agent
	marks string
}

// Run implements ui.Agent.
func (a *illustrated) Run(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
	if a.marks != "" && !p.Quoted && p.Text != "" {
		p.Text += "\n\n" + a.marks
		a.marks = ""
	}
	return a.Agent.Run(ctx, p, sink)
}
