#include "fuzz/structure.hpp"

#include "fuzz/bytes.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mees::test {
namespace {

/// The data sets and groups that are changed, and one of each that our files do not have.
constexpr std::array datasets{"/map/parameters",     "/map/cell",   "/map/bc",
                              "/map/fitness",        "/extra",      "/history/best",
                              "/novelty_archive/bc", "/state/extra"};
constexpr std::array groups{"/", "/map", "/history", "/state", "/state/emitter", "/extra_group"};

struct Extent {
    std::vector<hsize_t> size;

    [[nodiscard]] hid_t space() const
    {
        return H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    }
};

/// Identifiers are not closed one by one: closing the file closes them all.
class Editor {
  public:
    Editor(std::filesystem::path const& path, std::string other) : other_{std::move(other)}
    {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        auto const access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
        file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
        H5Pclose(access);
        must_hold(file_ >= 0, "the file can be changed");
    }
    Editor(Editor const&) = delete;
    Editor& operator=(Editor const&) = delete;
    ~Editor() { H5Fclose(file_); }

    void change(Bytes& bytes)
    {
        std::string const name = datasets[bytes.below(datasets.size())];
        switch (bytes.below(12)) {
            case 0:
                return keep_elsewhere(name);
            case 1:
                return make_virtual(name);
            case 2:
                return make_endless(name, bytes);
            case 3:
                return nest(groups[bytes.below(groups.size())], bytes.below(2000));
            case 4:
                return link_to(name, bytes);
            case 5:
                return make_cycle(groups[bytes.below(groups.size())]);
            case 6:
                return change_type(name, bytes);
            case 7:
                return add_attribute(name, bytes);
            case 8:
                return pack(name, bytes);
            case 9:
                return extend(name, bytes);
            case 10:
                return make_scalar(name, bytes);
            default:
                remove(name);
        }
    }

    [[nodiscard]] Changed changed() const { return {!elsewhere_.empty(), !endless_.empty()}; }

  private:
    /// Type and shape of a data set, or some if there is none.
    std::pair<hid_t, Extent> form_of(std::string const& name) const
    {
        Extent shape{{3, 58}};
        auto const dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
        if (dataset < 0) {
            return {H5T_IEEE_F32LE, shape};
        }
        auto const space = H5Dget_space(dataset);
        shape.size.resize(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
        H5Sget_simple_extent_dims(space, shape.size.data(), nullptr);
        return {H5Dget_type(dataset), shape};
    }

    void remove(std::string const& name)
    {
        H5Ldelete(file_, name.c_str(), H5P_DEFAULT);
        elsewhere_.erase(name);
        endless_.erase(name);
    }

    static void note(std::set<std::string>& names, std::string const& name, hid_t made)
    {
        if (made >= 0) {
            names.insert(name);
        }
    }

    /// Puts a data set in the place of another one.
    hid_t replace(std::string const& name, hid_t type, hid_t space, hid_t creation = H5P_DEFAULT)
    {
        remove(name);
        return H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }

    void keep_elsewhere(std::string const& name)
    {
        auto const [type, shape] = form_of(name);
        auto const creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(creation, other_.c_str(), 0, H5F_UNLIMITED);
        note(elsewhere_, name, replace(name, type, shape.space(), creation));
    }

    void make_virtual(std::string const& name)
    {
        auto const [type, shape] = form_of(name);
        auto const creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_virtual(creation, shape.space(), other_.c_str(), "/data", shape.space());
        note(elsewhere_, name, replace(name, type, shape.space(), creation));
    }

    void make_endless(std::string const& name, Bytes& bytes)
    {
        auto const type = H5Tcopy(bytes.below(2) == 0 ? H5T_C_S1 : H5T_NATIVE_FLOAT);
        auto const length = hsize_t{1} << (25 + bytes.below(36));
        Extent const shape{bytes.below(2) == 0 ? std::vector<hsize_t>{length}
                                               : std::vector<hsize_t>{1, length}};
        std::vector<hsize_t> chunk(shape.size.size(), 1);
        chunk.back() = hsize_t{1} << bytes.below(26);
        auto const creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
        note(endless_, name, replace(name, type, shape.space(), creation));
    }

    void nest(std::string const& inside, std::size_t depth)
    {
        auto group = H5Gopen2(file_, inside.c_str(), H5P_DEFAULT);
        for (std::size_t level = 0; level < depth && group >= 0; ++level) {
            auto const next = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            H5Gclose(std::exchange(group, next));
        }
    }

    void link_to(std::string const& name, Bytes& bytes)
    {
        std::string const target = datasets[bytes.below(datasets.size())];
        auto const kind = bytes.below(3);
        if (kind == 2 && target == name) {
            return;
        }
        remove(name);
        if (kind == 0) {
            H5Lcreate_soft(target.c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        } else if (kind == 1) {
            note(elsewhere_, name,
                 H5Lcreate_external(other_.c_str(), target.c_str(), file_, name.c_str(),
                                    H5P_DEFAULT, H5P_DEFAULT));
        } else {
            H5Lcreate_hard(file_, target.c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        }
    }

    void make_cycle(std::string const& group)
    {
        auto const name = group == "/" ? std::string{"/again"} : fmt::format("{}/again", group);
        H5Lcreate_hard(file_, "/", file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }

    void change_type(std::string const& name, Bytes& bytes)
    {
        auto const compound = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(compound, "a", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(compound, "b", 4, H5T_NATIVE_INT);
        auto const text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, H5T_VARIABLE);
        hsize_t const many = hsize_t{1} << bytes.below(24);
        std::array const types{compound,
                               text,
                               H5Tvlen_create(H5T_NATIVE_DOUBLE),
                               H5T_STD_REF_OBJ,
                               H5T_STD_REF_DSETREG,
                               H5T_IEEE_F64BE,
                               H5T_NATIVE_LDOUBLE,
                               H5T_STD_B8LE,
                               H5Tcreate(H5T_OPAQUE, 1 << 16),
                               H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &many)};
        replace(name, types[bytes.below(types.size())], form_of(name).second.space());
    }

    void add_attribute(std::string const& name, Bytes& bytes)
    {
        auto const object = H5Oopen(file_, name.c_str(), H5P_DEFAULT);
        Extent const shape{{hsize_t{1} << bytes.below(21)}};
        auto const space = bytes.below(4) == 0 ? H5Screate(H5S_NULL) : shape.space();
        auto const type = bytes.below(2) == 0 ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
        // Not written: it takes no more space than its header.
        H5Acreate2(object, "unknown", type, space, H5P_DEFAULT, H5P_DEFAULT);
    }

    void pack(std::string const& name, Bytes& bytes)
    {
        auto const [type, shape] = form_of(name);
        auto const creation = H5Pcreate(H5P_DATASET_CREATE);
        auto chunk = shape.size;
        std::ranges::replace(chunk, hsize_t{0}, hsize_t{1});
        H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
        switch (bytes.below(3)) {
            case 0:
                H5Pset_deflate(creation, 9);
                break;
            case 1:
                H5Pset_shuffle(creation);
                break;
            default:
                H5Pset_fletcher32(creation);
        }
        auto const dataset = replace(name, type, shape.space(), creation);
        std::array<char, 64> const value{};
        H5Pset_fill_value(creation, type, value.data());
        if (auto const zeros = zeros_for(shape, type); bytes.below(2) == 0 && !zeros.empty()) {
            H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
        }
    }

    /// Bytes for all values of a shape; none if an earlier change has made it too large to write.
    static std::vector<char> zeros_for(Extent const& shape, hid_t type)
    {
        constexpr double most = 1 << 24;
        auto const values = std::max<hssize_t>(H5Sget_simple_extent_npoints(shape.space()), 0);
        auto const size = H5Tget_size(type);
        bool const fits = static_cast<double>(values) * static_cast<double>(size) <= most;
        return std::vector<char>(fits ? static_cast<std::size_t>(values) * size : 0);
    }

    /// More rows than were written.
    void extend(std::string const& name, Bytes& bytes)
    {
        auto [type, shape] = form_of(name);
        auto const creation = H5Pcreate(H5P_DATASET_CREATE);
        if (shape.size.empty()) {
            return;
        }
        auto chunk = shape.size;
        std::ranges::replace(chunk, hsize_t{0}, hsize_t{1});
        H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
        auto const old = shape.size;
        shape.size.front() += bytes.below(1 << 16);
        auto const dataset = replace(name, type, shape.space(), creation);
        auto const space = shape.space();
        std::vector<hsize_t> const start(old.size(), 0);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, old.data(), nullptr);
        Extent const memory{old};
        if (auto const zeros = zeros_for(memory, type); !zeros.empty()) {
            H5Dwrite(dataset, type, memory.space(), space, H5P_DEFAULT, zeros.data());
        }
    }

    void make_scalar(std::string const& name, Bytes& bytes)
    {
        auto const type = form_of(name).first;
        replace(name, type, H5Screate(bytes.below(2) == 0 ? H5S_SCALAR : H5S_NULL));
    }

    hid_t file_{-1};
    std::string other_;
    std::set<std::string> elsewhere_;
    std::set<std::string> endless_;
};

}  // namespace

Changed change_structure(std::filesystem::path const& path, ByteView bytes,
                         std::filesystem::path const& other)
{
    constexpr int most = 8;
    Editor editor{path, other.string()};
    Bytes left{bytes};
    for (int i = 0; i < most && !left.empty(); ++i) {
        editor.change(left);
    }
    return editor.changed();
}

}  // namespace mees::test
