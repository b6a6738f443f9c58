package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// nobody is the owner that a rootless engine or a desktop VM shows for files of a user it cannot map.
const nobody = 65534

// dropTo gives up root for the owner of dir, so that what the process writes there belongs to that owner.
// It does nothing when the process is not root, or when dir belongs to root or to an owner that the engine
// made up (rootless engines and desktop VMs): there root is the one who may write.
func dropTo(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("find the owner of %s: %w", dir, err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || stat.Uid == nobody {
		return nil
	}
	uid, gid := int(stat.Uid), int(stat.Gid)
	if err := errors.Join(syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(uid)); err != nil {
		return fmt.Errorf("become user %d of group %d: %w", uid, gid, err)
	}
	return nil
}
