// Where in a text something stands that identifies a machine or a person.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpugauge::stack::scan {

/// Each: length of the thing that begins exactly at `at`, 0 where none does. What goes on in letters or
/// digits is another thing.

/// How far a path goes that begins here: to what ends one in a sentence, or, where it stands `alone`, to the
/// end.
std::size_t end_of_path(std::string_view text, std::size_t at, bool alone = false);

/// 8-4-4-4-12 hexadecimal digits; an underscore may join it and a GPU's to other words.
std::size_t uuid(std::string_view text, std::size_t at);
/// "GPU-" or "MIG-" and a UUID, or its beginning of six digits and more.
std::size_t gpu_uuid(std::string_view text, std::size_t at);
/// Six pairs of hexadecimal digits, or seven (a boot loader's), all joined by ':' or all by '-'; or a network
/// device that is named by them ("enx78e7d1ea46da"). A name and a colon may stand before it.
std::size_t mac(std::string_view text, std::size_t at);
/// InfiniBand's, a PCI device's serial number and that of a RAID: eight pairs joined by ':' or '-', four
/// groups of four or of eight digits joined by ':'; 16 digits, a letter among them, or "0x" and 16 digits.
/// And InfiniBand's hardware address, 20 pairs joined by ':'.
std::size_t guid(std::string_view text, std::size_t at);
/// 64 hexadecimal digits.
std::size_t container_id(std::string_view text, std::size_t at);
/// 32 hexadecimal digits: what systemd calls a machine, or a UUID without its dashes.
std::size_t machine_id(std::string_view text, std::size_t at);
/// What follows "://", at which `at` points, up to the path: user, password, host and port. Without the
/// "://".
std::size_t url_authority(std::string_view text, std::size_t at);
/// Four numbers up to 255. A version such as 12.8.4.1 looks the same: ask only where addresses are expected.
std::size_t ipv4(std::string_view text, std::size_t at);
/// Four such numbers that stand where an address does: behind "://", "@", "host", "proxy" or "connect to",
/// before a port, or in a net of 192.168. For texts that hold versions too.
std::size_t marked_ipv4(std::string_view text, std::size_t at);
/// Eight groups, or fewer with one "::"; the last two may be written as IPv4; a PCI address (0000:01:00.0) is
/// none.
std::size_t ipv6(std::string_view text, std::size_t at);
/// A folder below a home ("/home/NAME/..."), without its last part where that is a file's name; `home` is the
/// folder of homes (`has_users`), or a home. A path ends at white space, ':', ',', ';', quotes and brackets;
/// where the text is known to be one path (`alone`), at its end.
std::size_t home_folder(std::string_view text, std::size_t at, std::string_view home, bool has_users,
                        bool alone = false);
/// The same of a path that has a folder of homes further below: "/var/home/NAME", "/mnt/c/Users/NAME".
std::size_t home_elsewhere(std::string_view text, std::size_t at, bool alone = false);
/// A relative path that begins there and leads through a folder of homes ("im/home/NAME", "../home/NAME"), or
/// begins with a person's ("~NAME").
std::size_t home_in_relative(std::string_view text, std::size_t at, bool alone = false);
/// "host.domain" or "host.domain:port" before a '/', where a word begins; Amazon's also without.
std::size_t registry(std::string_view text, std::size_t at);
/// The 12 digits of the account in "arn:aws:iam::ACCOUNT".
std::size_t cloud_account(std::string_view text, std::size_t at);
/// The part of a path that ends with a person's name: "/mnt/c/Users/Ann Lee" of ".../x"; 0 where none is.
std::size_t person_folder(std::string_view path);
/// Holds a character at which a path in free text is taken to end.
bool ends_in_text(std::string_view path);

}  // namespace gpugauge::stack::scan
