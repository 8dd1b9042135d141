package sandbox

// mayWrite is asked only where commands are confined.
func mayWrite(string) bool { return false }
