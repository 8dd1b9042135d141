package sandbox

// SealDescriptors has nothing to do: a program gets the handles it is given.
func SealDescriptors() {}
