import { expect, test } from "vitest";
import { howToInstall } from "./choose-layer.ts";

test.each([
  ["Debian", 'ID=debian\nVERSION_ID="12"', "sudo apt install bubblewrap"],
  ["a derivative of Ubuntu", 'ID=linuxmint\nID_LIKE="ubuntu debian"', "sudo apt install bubblewrap"],
  ["Fedora", "ID=fedora", "sudo dnf install bubblewrap"],
  ["a derivative of RHEL", 'ID="rocky"\nID_LIKE="rhel centos fedora"', "sudo dnf install bubblewrap"],
  ["Alpine", "ID=alpine", "apk add bubblewrap"],
  ["Arch", "ID=arch", "sudo pacman -S bubblewrap"],
  ["openSUSE", 'ID="opensuse-leap"\nID_LIKE="suse opensuse"', "sudo zypper install bubblewrap"],
  ["an unknown system", "ID=homemade", undefined],
  ["a system without a name", "", undefined],
])("on %s, suggests the command that installs bubblewrap, if there is one", (_system, release, command) => {
  expect(howToInstall(release)).toBe(command);
});
