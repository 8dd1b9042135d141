//go:build !linux

package sandbox

import "io/fs"

func changeTime(fi fs.FileInfo) int64 { return fi.ModTime().UnixNano() }
