package clipboard

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32   = windows.NewLazySystemDLL("user32.dll")
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")

	openClipboard    = user32.NewProc("OpenClipboard")
	closeClipboard   = user32.NewProc("CloseClipboard")
	emptyClipboard   = user32.NewProc("EmptyClipboard")
	setClipboardData = user32.NewProc("SetClipboardData")
	globalAlloc      = kernel32.NewProc("GlobalAlloc")
	globalFree       = kernel32.NewProc("GlobalFree")
	globalLock       = kernel32.NewProc("GlobalLock")
	globalUnlock     = kernel32.NewProc("GlobalUnlock")
	moveMemory       = kernel32.NewProc("RtlMoveMemory")
)

const (
	unicodeText = 13 // CF_UNICODETEXT
	moveable    = 2  // GMEM_MOVEABLE
)

// ofSystem is what direct goes by.
const ofSystem = "Windows"

// direct hands text to the system without a program: clip.exe takes text in the letters
// of the country alone. The clipboard belongs to a thread, and to one program at a time.
func direct(text string) error {
	letters, err := windows.UTF16FromString(text) // with the zero at the end
	if err != nil {
		return fmt.Errorf("the clipboard takes no text with a zero byte: %w", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	opened := false
	for range 20 {
		if ok, _, _ := openClipboard.Call(0); ok != 0 {
			opened = true
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !opened {
		return errors.New("another program holds the clipboard; try again")
	}
	defer closeClipboard.Call()
	if ok, _, err := emptyClipboard.Call(); ok == 0 {
		return fmt.Errorf("empty the clipboard: %w", err)
	}
	size := uintptr(len(letters)) * unsafe.Sizeof(letters[0])
	handle, _, err := globalAlloc.Call(moveable, size)
	if handle == 0 {
		return fmt.Errorf("memory for the clipboard: %w", err)
	}
	at, _, err := globalLock.Call(handle)
	if at == 0 {
		globalFree.Call(handle)
		return fmt.Errorf("memory for the clipboard: %w", err)
	}
	moveMemory.Call(at, uintptr(unsafe.Pointer(&letters[0])), size)
	globalUnlock.Call(handle)
	if ok, _, err := setClipboardData.Call(unicodeText, handle); ok == 0 {
		globalFree.Call(handle) // it is the system's only once it was taken
		return fmt.Errorf("set the clipboard: %w", err)
	}
	return nil
}
