package ide

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openOwn opens a discovery file that is no link. Who may write to it is for the access
// list of the person's own folders: both kinds lie in the profile.
func openOwn(file string) (*os.File, error) {
	fi, err := os.Lstat(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%w: it is no file", ErrBroken)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err := own(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func ownedHere(fs.FileInfo) error { return nil }

// stillActive is what Windows says of a process that has not ended.
const stillActive = 259

func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_ACCESS_DENIED
	}
	defer windows.CloseHandle(h)
	var code uint32
	if err := windows.GetExitCodeProcess(h, &code); err != nil {
		return true
	}
	return code == stillActive
}
