#include "mees/cluster/detail/messages.hpp"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <sstream>

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, mees::RankInfo& info, unsigned)
{
    archive& info.build& info.rank& info.host& info.processor& info.kernel& info.process& info
        .leads_node& info.node_size;
}

template <class Archive>
void serialize(Archive& archive, mees::Failure& failure, unsigned)
{
    archive& failure.rank& failure.host& failure.where& failure.text;
}

template <class Archive>
void serialize(Archive& archive, mees::Suspect& suspect, unsigned)
{
    archive& suspect.rank& suspect.ended& suspect.silent_seconds& suspect.episodes;
}

}  // namespace boost::serialization

namespace mees {

template <class Message>
std::string encode(Message const& message)
{
    std::ostringstream stream;
    boost::archive::binary_oarchive archive{stream};
    archive << message;
    return stream.str();
}

template <class Message>
void decode(std::string const& bytes, Message& message)
{
    std::istringstream stream{bytes};
    boost::archive::binary_iarchive archive{stream};
    archive >> message;
}

template std::string encode(RankInfo const&);
template std::string encode(Failure const&);
template std::string encode(Suspect const&);
template void decode(std::string const&, RankInfo&);
template void decode(std::string const&, Failure&);
template void decode(std::string const&, Suspect&);

}  // namespace mees
