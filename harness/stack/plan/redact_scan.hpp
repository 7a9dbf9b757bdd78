// Finds text that identifies a machine or a person.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpugauge::stack::scan {

/// Each function returns the length of the match that begins exactly at `at`, or 0. A match followed by more
/// letters or digits is rejected.

/// Length of a path that begins here. It ends where a path in a sentence ends; with `alone`, at the end of
/// the text.
std::size_t end_of_path(std::string_view text, std::size_t at, bool alone = false);

/// 8-4-4-4-12 hexadecimal digits. An underscore may join it, or a GPU's, to other words.
std::size_t uuid(std::string_view text, std::size_t at);
/// "GPU-" or "MIG-" and a UUID, or at least its first six digits.
std::size_t gpu_uuid(std::string_view text, std::size_t at);
/// Six or (from a boot loader) seven pairs of hexadecimal digits, all joined by ':' or all by '-'. Or a
/// network device named after them ("enx78e7d1ea46da"). A name and a colon may come before.
std::size_t mac(std::string_view text, std::size_t at);
/// A GUID of InfiniBand, serial number of a PCI device, or id of a RAID: eight pairs joined by ':' or '-';
/// four groups of four or of eight digits joined by ':'; 16 digits with at least one letter; or "0x" and 16
/// digits. Also InfiniBand's hardware address, 20 pairs joined by ':'.
std::size_t guid(std::string_view text, std::size_t at);
/// 64 hexadecimal digits.
std::size_t container_id(std::string_view text, std::size_t at);
/// 32 hexadecimal digits: systemd's machine id, or a UUID without dashes.
std::size_t machine_id(std::string_view text, std::size_t at);
/// The part of a URL between "://", at which `at` points, and the path: user, password, host and port. The
/// length excludes the "://".
std::size_t url_authority(std::string_view text, std::size_t at);
/// Four numbers up to 255. A version such as 12.8.4.1 looks the same: call only where addresses are expected.
std::size_t ipv4(std::string_view text, std::size_t at);
/// Four such numbers where an address is likely: after "://", "@", "host", "proxy" or "connect to", before a
/// port, or in 192.168. For texts that also hold versions.
std::size_t marked_ipv4(std::string_view text, std::size_t at);
/// Eight groups, or fewer with one "::"; the last two may be written as IPv4. A PCI address (0000:01:00.0)
/// does not match.
std::size_t ipv6(std::string_view text, std::size_t at);
/// A folder below a home ("/home/NAME/..."), without its last part if that is a file name. `home` is a home,
/// or with `has_users` the folder of homes. A path ends at white space, ':', ',', ';', quotes and brackets;
/// with `alone`, at the end of the text.
std::size_t home_folder(std::string_view text, std::size_t at, std::string_view home, bool has_users,
                        bool alone = false);
/// As home_folder, for a path with a folder of homes further down: "/var/home/NAME", "/mnt/c/Users/NAME".
std::size_t home_elsewhere(std::string_view text, std::size_t at, bool alone = false);
/// A relative path that begins here and passes through a folder of homes ("im/home/NAME", "../home/NAME"), or
/// begins with a person's home ("~NAME").
std::size_t home_in_relative(std::string_view text, std::size_t at, bool alone = false);
/// "host.domain" or "host.domain:port" before a '/', at the start of a word; for Amazon's registries also
/// without '/'.
std::size_t registry(std::string_view text, std::size_t at);
/// The 12 digits of the account in "arn:aws:iam::ACCOUNT".
std::size_t cloud_account(std::string_view text, std::size_t at);
/// The part of a path that ends with a person's name: "/mnt/c/Users/Ann Lee" of ".../x"; 0 if there is none.
std::size_t person_folder(std::string_view path);
/// True if it holds a character that ends a path in free text.
bool ends_in_text(std::string_view path);

}  // namespace gpugauge::stack::scan
