package shared

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes data to name whole or not at all, also where the machine goes down meanwhile.
func WriteFile(name string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return write(temp, name, data, (*os.File).Sync)
}

// Replace writes data to name whole or not at all. It doesn't wait for the disk, which may be what is measured. Only
// one program at once may write that name: what it leaves if it is killed, the next one overwrites.
func Replace(name string, data []byte) error {
	temp, err := os.Create(name + ".part")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return write(temp, name, data, func(*os.File) error { return nil })
}

// write writes a file that is to have that name once sync has returned.
func write(temp *os.File, name string, data []byte, sync func(*os.File) error) (err error) {
	defer func() {
		if err != nil {
			os.Remove(temp.Name())
			err = fmt.Errorf("write %s: %w", name, err)
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, sync(temp), temp.Chmod(0o644), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}
