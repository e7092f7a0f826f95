// SPDX-License-Identifier: BSD-3-Clause
//
// map.cc - the map of a device as an occupancy grid, which is published once and latched
#include "device.hpp"

#include <algorithm>

#include <nav_msgs/OccupancyGrid.h>

namespace
{

const uint32_t CELLS_MAX = 64u << 20; // of a map
const uint32_t TILE = 65536;          // cells that one request fetches, about

// ROS counts 0 to 100, and -1 if it is unknown; devices -range to range.
int8_t occupancy(int cell, int range)
{
    return static_cast<int8_t>(cell == 0 || range <= 0 ? -1
                               : cell < 0              ? 0
                                                       : std::min(100, 100 * cell / range));
}

class Map : public Outlet
{
  public:
    explicit Map(const DeviceContext &c)
        : device_(c.device), frame_(c.frame),
          publisher_(c.advertise<nav_msgs::OccupancyGrid>("map", true))
    {
        const auto info = ask<ach_map_info_t>(device_, ACH_MAP_REQ_GET_INFO);

        if (info)
            publish(*info, info->body<ach_map_info_t>());
    }

    bool data(const ach::Message &m) override
    {
        const auto *info = body_of<ach_map_info_t>(m, ACH_MAP_DATA_INFO);

        return info && publish(m, *info);
    }

  private:
    bool publish(const ach::Message &m, const ach_map_info_t &info)
    {
        nav_msgs::OccupancyGrid grid;

        if (info.width == 0 || info.height == 0 || info.width > CELLS_MAX / info.height)
            return false;
        grid.header = stamped(m, frame_);
        grid.info.map_load_time = grid.header.stamp;
        grid.info.resolution = info.scale;
        grid.info.width = info.width;
        grid.info.height = info.height;
        grid.info.origin = pose_of(info.origin);
        grid.data.assign(size_t{info.width} * info.height, -1);
        const uint32_t rows = std::max(1u, TILE / info.width);

        for (uint32_t row = 0; row < info.height; row += rows)
            if (!fetch(grid, row, std::min(rows, info.height - row)))
                return false;
        publisher_.publish(grid);
        return true;
    }

    bool fetch(nav_msgs::OccupancyGrid &grid, uint32_t row, uint32_t rows)
    {
        ach_map_data_t wanted{};

        wanted.row = row;
        wanted.width = grid.info.width;
        wanted.height = rows;
        const auto answer = ask(device_, ACH_MAP_REQ_GET_DATA, &wanted);
        const ach_map_data_t *got = answer ? &answer->body<ach_map_data_t>() : nullptr;
        const size_t cells = size_t{grid.info.width} * rows;

        if (!got || got->data_count < cells) {
            say("the device does not send its map");
            return false;
        }
        for (size_t i = 0; i < cells; i++)
            grid.data[size_t{row} * grid.info.width + i] = occupancy(got->data[i], got->data_range);
        return true;
    }

    ach_device_t *device_;
    std::string frame_;
    ros::Publisher publisher_;
};

} // namespace

std::unique_ptr<Outlet> make_map(const DeviceContext &context)
{
    return std::make_unique<Map>(context);
}
