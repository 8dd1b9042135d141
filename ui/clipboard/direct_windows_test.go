package clipboard

import (
	"context"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What is copied is what another program gets, letter by letter. There may be no desktop
// to have a clipboard, as for a service.
func TestDirect(t *testing.T) {
	for _, text := range []string{"a", "1\n", "中文 “quoted” 😀\r\nline", strings.Repeat("é", 100_000)} {
		if err := Native(context.Background(), text, os.Getenv); err != nil {
			t.Skip(err)
		}
		if got := held(t); got != text {
			t.Errorf("%.40q came back as %.40q", text, got)
		}
	}
	if err := direct("a\x00b"); err == nil {
		t.Error("half a text was copied")
	}
}

func held(t *testing.T) string {
	t.Helper()
	if ok, _, err := openClipboard.Call(0); ok == 0 {
		t.Fatal(err)
	}
	defer closeClipboard.Call()
	handle, _, err := user32.NewProc("GetClipboardData").Call(unicodeText)
	if handle == 0 {
		t.Fatal(err)
	}
	size, _, _ := kernel32.NewProc("GlobalSize").Call(handle)
	at, _, err := globalLock.Call(handle)
	if at == 0 {
		t.Fatal(err)
	}
	defer globalUnlock.Call(handle)
	letters := make([]uint16, size/2)
	moveMemory.Call(uintptr(unsafe.Pointer(&letters[0])), at, size)
	return windows.UTF16ToString(letters)
}
