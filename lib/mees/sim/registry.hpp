#pragma once

#include "mees/config/known_names.hpp"
#include "mees/sim/task.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mees {

struct ModelText;

using DomainPtr = std::shared_ptr<Domain const>;
/// Makes the undamaged domain.
using DomainMaker = std::function<DomainPtr(DomainSettings const&)>;

/// The domains that a program knows by name: the built-in ones and those it adds.
class DomainRegistry {
  public:
    /// The built-in ones.
    DomainRegistry();

    /// The name must be new. The domain may use any key of [domain].
    void add(std::string name, DomainMaker make);

    [[nodiscard]] std::vector<KnownName> known() const;
    /// Whether the domain of that name needs a model file, or a map that carries its model.
    [[nodiscard]] bool reads_model_file(std::string_view name) const;
    /// Whether the domain of that name starts a command of the user.
    [[nodiscard]] bool starts_command(std::string_view name) const;
    /// The domain of that name, with its options and damage applied. Throws ConfigError for an
    /// unknown name or option value, FileError for a model that does not compile.
    [[nodiscard]] DomainPtr make(DomainSettings const& settings) const;

    /// This registry for the episodes of a map, whose run had the settings `own`: `make` then reads
    /// no file. It interprets what the map carries for `own`, and for other settings it uses the
    /// model that the map carries. Domains that were added make themselves. A domain in another
    /// process is refused unless this user has trained with its command.
    [[nodiscard]] DomainRegistry carrying(std::shared_ptr<DomainDocument const> document,
                                          std::optional<DomainSettings> own) const;
    /// The same for a map that carries no model: a domain that needs a model file is refused.
    [[nodiscard]] DomainRegistry without_files() const;
    /// This registry for a user who allows any command that a map names.
    [[nodiscard]] DomainRegistry allowing_commands() const;

  private:
    using Maker = std::function<DomainPtr(DomainSettings const&, ModelText const*)>;
    struct Entry {
        KnownName known;
        Maker make;
    };
    [[nodiscard]] bool uses(std::string_view name, KeyGroup group) const;
    [[nodiscard]] DomainPtr make_anew(DomainSettings const& settings) const;

    std::vector<Entry> entries_;
    std::shared_ptr<DomainDocument const> document_;
    std::optional<DomainSettings> own_;
    bool reads_files_{true};
    bool allows_commands_{false};
};

/// The domain that a map carries, from its description and model. Reads no file. Throws FileError
/// for what this program cannot interpret; `source` names the map in the message.
[[nodiscard]] DomainPtr restore_domain(DomainDocument const& document, std::string const& source);

/// Throws FileError for a document that `restore_domain` would refuse without compiling its model.
void check_document(DomainDocument const& document, std::string const& source);

/// A document with the model of a file instead of its own, for `carrying`. Throws FileError.
[[nodiscard]] std::shared_ptr<DomainDocument const> document_of_file(
    std::filesystem::path const& model);

/// A document in one string, for sending it to other ranks.
[[nodiscard]] std::string pack(DomainDocument const& document);
[[nodiscard]] DomainDocument unpack(std::string_view packed);

}  // namespace mees
