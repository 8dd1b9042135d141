package ide

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mine reports whether a port of this machine is listened on by this user. The token is
// not for whoever got the port behind the editor.
func mine(port int) error {
	read, listens := false, false
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue // no such protocol here
		}
		read = true
		for sc := bufio.NewScanner(f); sc.Scan(); {
			fs := strings.Fields(sc.Text())
			if len(fs) < 8 || fs[3] != "0A" || !strings.HasSuffix(fs[1], fmt.Sprintf(":%04X", port)) {
				continue
			}
			listens = true
			if fs[7] != strconv.Itoa(os.Geteuid()) {
				f.Close()
				return ErrStranger
			}
		}
		f.Close()
	}
	if read && !listens {
		return ErrSilent
	}
	return nil
}
